package dev.quire.spring;

import static dev.quire.spring.LanguageTest.encoded;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Error pages are pages, and may fail like others. */
@SpringBootTest(
        classes = {Language.class, FailingErrorPageTest.Errors.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "quire.stamp.enabled=false")
class FailingErrorPageTest {

    @LocalServerPort private int port;

    private static String mustHave(String src) {
        return "<esi:include src=\"" + src + "\" onerror=\"fail\"/>";
    }

    @Test
    void anErrorPageThatFailsLeavesTheStatusOfTheFailure() {
        var page = Visitor.of(port).get("/page?body=" + encoded(mustHave("/part/throws")));

        assertThat(page.statusCode()).isEqualTo(502);
        assertThat(page.body()).doesNotContain("of the error page", "esi:");
    }

    @RestController
    static class Errors implements ErrorController {

        @RequestMapping(path = "/error", produces = Site.HTML)
        String error() {
            return RawTags.announced("of the error page" + mustHave("/part/status/404"));
        }
    }
}
