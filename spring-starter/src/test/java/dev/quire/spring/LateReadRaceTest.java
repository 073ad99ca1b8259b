package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.filter.OncePerRequestFilter;

/** A read of the user on another thread, just after the head was decided as public. */
@SpringBootTest(
        classes = {
            Site.class,
            Readers.class,
            LateReadRaceTest.Pages.class,
            LateReadRaceTest.Between.class
        },
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class LateReadRaceTest {

    @LocalServerPort private int port;

    @Test
    void aReadBetweenTheDecisionAndTheHeadBreaksTheResponseOff() {
        var reader = Visitor.of(port).behindSurrogate().as("reader1", "1");

        assertThatThrownBy(() -> reader.get("/race?read=true"))
                .isInstanceOf(UncheckedIOException.class);
    }

    @Test
    void withoutItTheResponseIsWholeAndPublic() {
        var response = Visitor.of(port).behindSurrogate().get("/race?read=false");

        assertThat(response.body()).isEqualTo("hello null");
        assertThat(response.headers().firstValue("Surrogate-Control")).hasValue("max-age=40");
    }

    @Controller
    static class Pages {

        @GetMapping(path = "/race", produces = "text/css")
        @EsiFragment(ttl = "40s")
        void race(HttpServletRequest request, HttpServletResponse response) throws IOException {
            request.setAttribute("request", request);
            response.setContentType("text/css");
            response.getWriter().write("hello ");
            response.flushBuffer();
            response.getWriter().write(String.valueOf(request.getAttribute("name")));
        }
    }

    /** Reads the user while the guard writes the fields that it has decided. */
    @Component
    @Order(-95)
    static class Between extends OncePerRequestFilter {

        @Override
        protected void doFilterInternal(
                HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            chain.doFilter(
                    request,
                    new HttpServletResponseWrapper(response) {
                        @Override
                        public void setHeader(String name, String value) {
                            if (name.equals("Surrogate-Control")
                                    && "true".equals(request.getParameter("read"))) {
                                readOnAnotherThread(request);
                            }
                            super.setHeader(name, value);
                        }
                    });
        }

        private static void readOnAnotherThread(HttpServletRequest request) {
            var inside = (HttpServletRequest) request.getAttribute("request");
            try {
                Thread.ofVirtual()
                        .start(() -> request.setAttribute("name", inside.getRemoteUser()))
                        .join();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        }
    }
}
