package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;

/** Handlers without a policy that declare themselves public in fields set by hand, on Tomcat. */
@SpringBootTest(
        classes = {Site.class, Readers.class, OwnWordsTest.Pages.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "quire.guard.debug=true")
class OwnWordsTest {

    @Controller
    static class Pages {

        @ModelAttribute
        void say(
                HttpServletResponse response,
                @RequestParam(defaultValue = "Cache-Control") String field,
                @RequestParam(defaultValue = "public, max-age=30") String value) {
            response.setHeader(field, value);
        }

        @GetMapping("/own/csrf")
        String form() {
            return "form";
        }

        @GetMapping("/own/session")
        @ResponseBody
        String session(HttpServletRequest request) {
            request.getSession();
            return "text";
        }

        @GetMapping("/own/cookie")
        @ResponseBody
        String cookie(HttpServletResponse response) {
            response.addCookie(new Cookie("basket", "1"));
            return "text";
        }

        @GetMapping("/own/principal")
        @ResponseBody
        String principal(@Nullable Principal reader) {
            return "text";
        }

        @GetMapping("/own/failed")
        @ResponseBody
        String fails() {
            throw new UnsupportedOperationException("on purpose");
        }

        @GetMapping("/own/pure")
        @ResponseBody
        String pure() {
            return "text";
        }

        @ExceptionHandler
        String failed(UnsupportedOperationException thrown) {
            return "form";
        }
    }

    @LocalServerPort private int port;

    private Visitor surrogate() {
        return Visitor.of(port).behindSurrogate();
    }

    @ParameterizedTest
    @CsvSource({
        "csrf,      csrf-token",
        "session,   session-created",
        "cookie,    set-cookie",
        "principal, principal-read",
        "failed,    handler-failed"
    })
    void whatBelongsToOneReaderIsNotPublicWhateverTheHandlerSays(String what, String reason) {
        var said =
                new String[] {
                    "",
                    "?value=max-age=30",
                    "?value=s-maxage=30",
                    "?field=CDN-Cache-Control&value=max-age=30",
                    "?field=Surrogate-Control&value=max-age=30",
                    "?field=Expires&value=Fri,%2001%20Jan%202100%2000:00:00%20GMT"
                };
        for (var query : said) {
            var answer = surrogate().get("/own/" + what + query);

            assertThat(field(answer, "Cache-Control")).as(query).isEqualTo("private, no-store");
            assertThat(field(answer, "X-Quire-Guard")).isEqualTo(reason);
            assertThat(answer.headers().map())
                    .doesNotContainKeys("surrogate-control", "cdn-cache-control", "expires");
        }
    }

    @Test
    void whatIsPureStaysAsItWasSaid() {
        assertThat(field(surrogate().get("/own/pure"), "Cache-Control"))
                .isEqualTo("public, max-age=30");
        assertThat(field(surrogate().get("/own/pure"), "X-Quire-Guard")).isEmpty();
    }

    @Test
    void whatIsNotPublicStaysAsItWasSaid() {
        for (var value : new String[] {"max-age=0", "private,%20max-age=30", "no-cache"}) {
            assertThat(field(surrogate().get("/own/cookie?value=" + value), "Cache-Control"))
                    .isEqualTo(value.replace("%20", " "));
        }
    }
}
