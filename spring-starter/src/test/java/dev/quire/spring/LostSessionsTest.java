package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;

/** Private fragments that create a session for a client without one. */
class LostSessionsTest {

    private static final String MESSAGE = "creates a session for a client without one";

    @Nested
    @SpringBootTest(
            classes = {Site.class, Readers.class, Baskets.class},
            webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
    @ExtendWith(OutputCaptureExtension.class)
    class Demoting {

        @LocalServerPort private int port;

        @Test
        void itIsLoggedOncePerHandler(CapturedOutput output) {
            var surrogate = Visitor.of(port).behindSurrogate().with("X-ESI-Level", "1");

            assertThat(surrogate.get("/basket/argument").body()).isEqualTo("0");
            surrogate.get("/basket/argument");

            assertThat(output.getOut())
                    .containsOnlyOnce("Baskets#argument is a private fragment and " + MESSAGE);
        }
    }

    @Nested
    @SpringBootTest(
            classes = {Site.class, Readers.class, Baskets.class},
            webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
            properties = "quire.guard.mode=strict")
    @ExtendWith(OutputCaptureExtension.class)
    class Strict {

        @LocalServerPort private int port;

        @ParameterizedTest
        @ValueSource(strings = {"/basket/argument", "/basket/request", "/basket/token"})
        void itFailsAndCreatesNone(String target, CapturedOutput output) {
            var surrogate = Visitor.of(port).behindSurrogate().with("X-ESI-Level", "1");

            var failure = surrogate.get(target);

            assertThat(failure.statusCode()).isEqualTo(500);
            assertThat(failure.headers().firstValue("Set-Cookie")).isEmpty();
            assertThat(output.getOut()).contains(MESSAGE);
        }

        @Test
        void otherCookiesOfTheResponseStay() {
            var failure =
                    Visitor.of(port)
                            .behindSurrogate()
                            .with("X-ESI-Level", "1")
                            .get("/basket/token-and-theme");

            assertThat(failure.statusCode()).isEqualTo(500);
            assertThat(failure.headers().allValues("Set-Cookie"))
                    .containsExactly("theme=dark", "size=large");
        }

        @ParameterizedTest
        @ValueSource(strings = {"/basket/peek", "/basket/page"})
        void oneThatCreatesNoneAndAPageDoNot(String target) {
            assertThat(Visitor.of(port).behindSurrogate().get(target).statusCode()).isEqualTo(200);
        }

        @Test
        void aClientWithASessionGetsItsFragment() {
            var client = Visitor.of(port).behindSurrogate();
            var page = client.get("/basket/page");
            var cookie = PolicyTest.field(page, "Set-Cookie").replaceAll(";.*", "");

            assertThat(client.with("Cookie", cookie).get("/basket/argument").body()).isEqualTo("1");
        }
    }

    @Controller
    static class Baskets {

        @GetMapping("/basket/argument")
        @EsiFragment(scope = EsiFragment.Scope.PRIVATE)
        @ResponseBody
        String argument(HttpSession session) {
            return session.getAttribute("basket") == null ? "0" : "1";
        }

        @GetMapping("/basket/request")
        @EsiFragment(scope = EsiFragment.Scope.PRIVATE)
        @ResponseBody
        String request(HttpServletRequest request) {
            return request.getSession(true).getAttribute("basket") == null ? "0" : "1";
        }

        @GetMapping("/basket/token")
        @EsiFragment(scope = EsiFragment.Scope.PRIVATE)
        String token() {
            return "form";
        }

        @GetMapping("/basket/token-and-theme")
        @EsiFragment(scope = EsiFragment.Scope.PRIVATE)
        String tokenAndTheme(HttpServletResponse response) {
            response.addCookie(new Cookie("theme", "dark"));
            response.addCookie(new Cookie("size", "large"));
            return "form";
        }

        @GetMapping("/basket/peek")
        @EsiFragment(scope = EsiFragment.Scope.PRIVATE)
        @ResponseBody
        String peek(HttpServletRequest request) {
            return request.getSession(false) == null ? "none" : "some";
        }

        @GetMapping("/basket/page")
        @EsiPage(scope = EsiFragment.Scope.PRIVATE)
        @ResponseBody
        String page(HttpSession session) {
            session.setAttribute("basket", "full");
            return "page";
        }
    }
}
