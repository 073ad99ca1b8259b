package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.support.ErrorPageFilter;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * Responses that fail after their head was sent, in an application with the filter that Spring Boot
 * adds in a war. That filter logs the exception and returns, and the container then sends a regular
 * end.
 */
@SpringBootTest(
        classes = {Site.class, Readers.class, LatePages.class, BrokenOffTest.Application.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"quire.guard.hold=64KB", "quire.fallback.buffer=64KB"})
class BrokenOffTest {

    @LocalServerPort private int port;

    private Visitor reader() {
        return Visitor.of(port).behindSurrogate().as("reader1", "1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/fails/flushed",
                "/fails/stream",
                "/fails/large",
                "/late/writer/html/1/flushed",
                "/late/stream/json/200/end",
                "/late/view/200"
            })
    void theConnectionIsClosedAfterTheHeadWasSent(String target) {
        assertThatThrownBy(() -> reader().get(target)).isInstanceOf(UncheckedIOException.class);
    }

    @Test
    void anErrorPageReplacesWhatIsStillHeld() {
        var response = reader().get("/fails/early");

        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(response.body()).doesNotContain("xxx");
    }

    @Test
    void aRedirectThatWasSentBeforeIsKept() {
        assertThat(reader().get("/fails/redirected").statusCode()).isEqualTo(302);
    }

    @ParameterizedTest
    @ValueSource(strings = {"writer", "stream"})
    void aWholeResponseIsNotBrokenOff(String way) {
        assertThat(reader().get("/late/" + way + "/json/200/never").body()).endsWith("nobody");
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Handlers.class)
    static class Application {

        @Bean
        ErrorPageFilter errorPages() {
            return new ErrorPageFilter();
        }

        /** As Spring Boot registers it in a war. */
        @Bean
        FilterRegistrationBean<ErrorPageFilter> errorPagesRegistration(ErrorPageFilter filter) {
            var registration = new FilterRegistrationBean<>(filter);
            registration.setOrder(filter.getOrder());
            registration.setDispatcherTypes(
                    EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
            return registration;
        }
    }

    @Controller
    @EsiFragment(ttl = "40s")
    static class Handlers {

        private static IllegalStateException onPurpose() {
            return new IllegalStateException("on purpose");
        }

        @GetMapping("/fails/flushed")
        void flushed(HttpServletResponse response) throws IOException {
            response.getWriter().write("x".repeat(1024));
            response.flushBuffer();
            throw onPurpose();
        }

        @GetMapping("/fails/large")
        void large(HttpServletResponse response) throws IOException {
            response.getWriter().write("x".repeat(200 * 1024));
            throw onPurpose();
        }

        @GetMapping("/fails/early")
        void early(HttpServletResponse response) throws IOException {
            response.getWriter().write("x".repeat(20 * 1024));
            throw onPurpose();
        }

        @GetMapping("/fails/redirected")
        void redirected(HttpServletResponse response) throws IOException {
            response.sendRedirect("/elsewhere");
            throw onPurpose();
        }

        @GetMapping("/fails/stream")
        ResponseEntity<StreamingResponseBody> stream() {
            return ResponseEntity.ok()
                    .contentType(MediaType.TEXT_PLAIN)
                    .body(out -> {
                        out.write("x".repeat(200 * 1024).getBytes(StandardCharsets.US_ASCII));
                        throw onPurpose();
                    });
        }
    }
}
