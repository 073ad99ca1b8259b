package dev.quire.war;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.web.filter.OncePerRequestFilter;

/** Delays pages between {@code /gate/close} and {@code /gate/open}. Thread-safe. */
final class Gate extends OncePerRequestFilter {

    private static final long LONGEST_SECONDS = 30;

    private volatile CountDownLatch latch = new CountDownLatch(0);

    @Override
    protected void doFilterInternal(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        switch (request.getServletPath()) {
            case "/gate/close" -> latch = new CountDownLatch(1);
            case "/gate/open" -> latch.countDown();
            default -> {
                pass();
                chain.doFilter(request, response);
            }
        }
    }

    private void pass() throws ServletException {
        try {
            if (!latch.await(LONGEST_SECONDS, TimeUnit.SECONDS)) {
                throw new ServletException("the gate has not been opened");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServletException("interrupted at the gate", e);
        }
    }
}
