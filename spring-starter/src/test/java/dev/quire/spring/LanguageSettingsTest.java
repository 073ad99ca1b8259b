package dev.quire.spring;

import static dev.quire.spring.LanguageTest.encoded;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The language settings. */
@SpringBootTest(
        classes = Language.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "quire.stamp.enabled=false",
            "quire.fallback.on-error=fail",
            "quire.fallback.dialect=akamai",
            "quire.fallback.escape=none",
            "quire.fallback.strict=true",
            "quire.fallback.decode-query=true",
            "quire.fallback.denied-cookies=hidden*",
            "quire.fallback.max-includes=2"
        })
class LanguageSettingsTest {

    @LocalServerPort private int port;

    private HttpResponse<String> page(String body) {
        return Visitor.of(port)
                .with("Cookie", "HiddenOne=1; JSESSIONID=2")
                .get("/page?x=%3Cy%3E&body=" + encoded(body));
    }

    @Test
    void aFailedIncludeFailsThePageUnlessItSaysOtherwise() {
        assertThat(page("<esi:include src=\"/part/throws\"/>").statusCode()).isEqualTo(502);
        assertThat(page("<esi:include src=\"/part/throws\" onerror=\"continue\"/>").statusCode())
                .isEqualTo(200);
        assertThat(
                        page("""
                        <esi:try><esi:attempt><esi:include src="/part/throws"/></esi:attempt><esi:except>x</esi:except></esi:try>\
                        """)
                                .body())
                .isEqualTo("x");
    }

    @Test
    void aDocumentThatIsNotAsItShouldBeFailsWithAListOfWhatIsWrong() {
        var wrong = "one\n<esi:include/> <esi:unknown/>";

        assertThat(page(wrong).statusCode()).isEqualTo(500);
        assertThat(
                        page("<esi:include src=\"/part/document?body=" + encoded(wrong) + "\"/>")
                                .statusCode())
                .isEqualTo(500);
    }

    @Test
    void theDialectDecidesOnBackslashes() {
        assertThat(page("<esi:vars>a\\bc</esi:vars>").body()).isEqualTo("abc");
    }

    @Test
    void valuesAreWrittenAsTheyAreIfSoWished() {
        assertThat(page("<esi:vars>$(QUERY_STRING{x})</esi:vars>").body()).isEqualTo("<y>");
    }

    @Test
    void otherCookiesMayBeDenied() {
        assertThat(
                        page("<esi:vars>[$(HTTP_COOKIE{HiddenOne})$(HTTP_COOKIE{JSESSIONID})]</esi:vars>")
                                .body())
                .isEqualTo("[2]");
    }

    @Test
    void noMoreIncludesThanAllowed() {
        var include = "<esi:include src=\"/part/word/x\" onerror=\"continue\"/>";

        assertThat(page(include.repeat(3)).body()).isEqualTo("xx");
    }
}
