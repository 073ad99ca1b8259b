package dev.quire.spring.internal.invalidate;

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
 * The work before the response of a request that changed something: it writes a field and waits for
 * the surrogates. So the next request of the same user sees the change, wherever a redirect leads.
 *
 * @param groups invalidated groups, for caches on the path of this response (RFC 9875 §3)
 * @param tried complete after the first attempt at each surrogate
 * @param deadline end of the wait, as {@link System#nanoTime}
 */
record ResponseToChange(Set<String> groups, List<CompletableFuture<Void>> tried, long deadline)
        implements Consumer<HttpServletResponse> {

    private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    /** A longer field could exceed the container's limit for a head. */
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
            // delivery continues after the response
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException impossible) {
            throw new IllegalStateException("expected no failure of an attempt", impossible);
        }
    }

    private static boolean isUnsafe(HttpServletRequest request) {
        return !SAFE.contains(request.getMethod());
    }

    /** Returns a List of Strings (RFC 8941 §3.1, §3.3.3). */
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
