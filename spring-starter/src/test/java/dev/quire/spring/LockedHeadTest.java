package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * An asynchronous handler and a filter write fields of the response at the same time, as Spring
 * Security's filters do when the handler releases the thread: no field gets the value of another.
 */
@SpringBootTest(
        classes = {Site.class, Readers.class, LockedHeadTest.Application.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class LockedHeadTest {

    private static final int FIELDS = 100;

    @LocalServerPort private int port;

    @RepeatedTest(20)
    void eachFieldHasItsOwnValue() {
        var headers = Visitor.of(port).behindSurrogate().get("/fields").headers();

        for (int i = 0; i < FIELDS; i++) {
            for (var writer : new String[] {"handler", "filter"}) {
                var field = writer + "-" + i;
                assertThat(headers.allValues(field)).containsExactly(field);
            }
        }
    }

    private static void write(String writer, HttpServletResponse response) {
        for (int i = 0; i < FIELDS; i++) {
            response.addHeader(writer + "-" + i, writer + "-" + i);
        }
    }

    /**
     * Returns when both threads have called it {@code times}; spins, so that they go on at once.
     */
    private static void meet(HttpServletRequest request, int times) {
        var arrivals = (AtomicInteger) request.getAttribute("arrivals");
        arrivals.incrementAndGet();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (arrivals.get() < 2 * times) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("the other thread does not come");
            }
            Thread.onSpinWait();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Handlers.class)
    static class Application {

        @Bean
        FilterRegistrationBean<OncePerRequestFilter> fields() {
            var registration = new FilterRegistrationBean<OncePerRequestFilter>(new Fields());
            registration.addUrlPatterns("/fields");
            registration.setOrder(-200);
            return registration;
        }
    }

    /** Outside the guard, like Spring Security. */
    private static final class Fields extends OncePerRequestFilter {

        @Override
        protected void doFilterInternal(
                HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            request.setAttribute("arrivals", new AtomicInteger());
            chain.doFilter(request, response);
            meet(request, 1);
            write("filter", response);
            meet(request, 2);
        }
    }

    @Controller
    static class Handlers {

        @GetMapping("/fields")
        StreamingResponseBody fields(HttpServletRequest request, HttpServletResponse response) {
            return out -> {
                meet(request, 1);
                write("handler", response);
                meet(request, 2);
                out.write("body".getBytes(StandardCharsets.US_ASCII));
                out.flush();
            };
        }
    }
}
