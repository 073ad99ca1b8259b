package dev.quire.test.spring;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.util.Enumeration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.PriorityOrdered;

/** Records the request fields that an application reads, outside its own filters. Thread-safe. */
final class FieldRecorder implements Filter, PriorityOrdered {
    private final Set<String> read = ConcurrentHashMap.newKeySet();

    /** Removes and returns the names of the fields read so far. */
    Set<String> take() {
        var taken = Set.copyOf(read);
        read.removeAll(taken);
        return taken;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        chain.doFilter(new Recorded((HttpServletRequest) request), response);
    }

    private final class Recorded extends HttpServletRequestWrapper {
        Recorded(HttpServletRequest request) {
            super(request);
        }

        @Override
        public @Nullable String getHeader(String name) {
            read.add(name);
            return super.getHeader(name);
        }

        @Override
        public Enumeration<String> getHeaders(String name) {
            read.add(name);
            return super.getHeaders(name);
        }

        @Override
        public int getIntHeader(String name) {
            read.add(name);
            return super.getIntHeader(name);
        }

        /** A container may take the address from this field. */
        @Override
        public String getRemoteAddr() {
            read.add("X-Forwarded-For");
            return super.getRemoteAddr();
        }
    }
}
