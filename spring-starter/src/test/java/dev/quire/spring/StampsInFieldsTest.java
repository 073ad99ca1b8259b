package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;

/** A rendered tag, or its beginning, in the head of a response: the placeholder does not leave. */
@SpringBootTest(
        classes = {Site.class, Readers.class, StampsInFieldsTest.Previews.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "quire.stamp.placeholder=" + StampsInFieldsTest.SECRET)
class StampsInFieldsTest {

    static final String SECRET = "8TqMK0hLOTL3VAGsYkThbg";

    @LocalServerPort private int port;

    @ParameterizedTest
    @ValueSource(strings = {"/previews/fields", "/previews/redirect"})
    void noPartOfThePlaceholderLeavesInTheHead(String target) {
        for (var visitor : new Visitor[] {Visitor.of(port), Visitor.of(port).behindSurrogate()}) {
            var fields = visitor.get(target).headers().map().toString();

            assertThat(fields.toLowerCase(Locale.ROOT))
                    .contains("preview")
                    .doesNotContain(
                            SECRET.substring(0, 6).toLowerCase(Locale.ROOT),
                            SECRET.substring(16).toLowerCase(Locale.ROOT));
        }
    }

    @Controller
    static class Previews {

        private static String tag() {
            return Esi.include("/fragments/spare").toHtml();
        }

        @GetMapping("/previews/fields")
        @ResponseBody
        String fields(HttpServletResponse response) {
            response.setHeader("X-Preview", tag());
            response.setHeader("X-Preview-Start", tag().substring(0, 20));
            response.addHeader("X-Preview-End", tag().substring(12));
            response.addHeader("X-Preview-Lower", tag().toLowerCase(Locale.ROOT));
            response.addCookie(new Cookie("preview", tag().substring(5, 20)));
            return "previews";
        }

        @GetMapping("/previews/redirect")
        void redirect(HttpServletResponse response) throws IOException {
            response.sendRedirect("/search?preview=" + tag().substring(5, 25));
        }
    }
}
