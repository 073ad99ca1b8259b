package dev.quire.spring.invalidate;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * What a request that has changed something says in its response, and waits for: then the next
 * request of the same user finds what is new, wherever a redirect sends it.
 *
 * @param groups what is untrue now, for caches on the way of this response (RFC 9875 §3)
 * @param tried complete when each surrogate has been told once
 * @param deadline until when to wait, as {@link System#nanoTime} counts
 */
record ResponseToChange(Set<String> groups, List<CompletableFuture<Void>> tried, long deadline)
        implements Consumer<HttpServletResponse> {

    private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    /** More would endanger the response: containers bound the length of a head. */
    private static final int MOST_CHARS = 2000;

    @Override
    public void accept(HttpServletResponse response) {
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes now
                && isUnsafe(now.getRequest())) {
            var field = strings(groups);
            if (!field.isEmpty() && field.length() <= MOST_CHARS) {
                response.addHeader("Cache-Group-Invalidation", field);
            }
        }
        await();
    }

    private void await() {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            return;
        }
        try {
            CompletableFuture.allOf(tried.toArray(CompletableFuture[]::new))
                    .get(left, TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            // it goes on behind the response
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException impossible) {
            throw new IllegalStateException("expected no failure of an attempt", impossible);
        }
    }

    private static boolean isUnsafe(HttpServletRequest request) {
        return !SAFE.contains(request.getMethod());
    }

    /** A list of strings (RFC 8941 §3.1, §3.3.3). */
    private static String strings(Collection<String> texts) {
        var field = new StringBuilder();
        for (var text : texts) {
            field.append(field.isEmpty() ? "\"" : ", \"")
                    .append(text.replace("\\", "\\\\").replace("\"", "\\\""))
                    .append('"');
        }
        return field.toString();
    }
}
