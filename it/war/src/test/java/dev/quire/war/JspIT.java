package dev.quire.war;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.test.wire.Response;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tag library in JSPs on a standalone Tomcat: the written tags and the resulting page. */
class JspIT {

    private static final String[] OF_READER = {
        "Cookie", "name=ada", "Authorization", "Basic YWRhOjE="
    };

    private static Tomcat tomcat;

    @BeforeAll
    static void start() {
        tomcat = Tomcat.start("spring.web.error.include-message=always");
    }

    @AfterAll
    static void stop() {
        tomcat.close();
    }

    @Test
    void includeIsWrittenInsideTheApplicationWithItsParametersEncoded() {
        var page = behindSurrogate("include.jsp?q=a%26b%20%22%3E%24(HTTP_COOKIE)");

        assertThat(page.text())
                .isEqualTo(
                        "<esi:include src=\"/scraps/fragment/echo?from=jsp&amp;q=a%26b%20%22%3E%24%28HTTP_COOKIE%29\""
                                + " alt=\"/scraps/fragment/own?x=1&amp;q=a%26b%20%22%3E%24%28HTTP_COOKIE%29\""
                                + " onerror=\"continue\" maxwait=\"1500\"/>");
        assertThat(page.field("Surrogate-Control")).contains("content=\"ESI/1.0\"");
    }

    @Test
    void includeIsAssembledInsideTheApplication() {
        assertThat(alone("include.jsp?q=a%26b%20%24(HTTP_COOKIE)").text())
                .isEqualTo("<b>a&amp;b $(HTTP_COOKIE)</b>");
    }

    @Test
    void includeOfAnotherApplicationSaysSo() {
        assertThat(behindSurrogate("elsewhere.jsp").text())
                .isEqualTo(
                        "<esi:include src=\"/shop/a\"/><esi:include src=\"/b\"/>"
                                + "<esi:include src=\"//static.example/c\"/>"
                                + "<esi:include src=\"https://static.example/d\"/>");
    }

    @Test
    void fallbackStandsInForAFailedInclude() {
        assertThat(alone("fallback.jsp").text()).isEqualTo("<b>later</b>");
    }

    @Test
    void newSessionIsNotWrittenIntoAnInclude() {
        var page = behindSurrogate("session.jsp");

        assertThat(page.field("Set-Cookie")).startsWith("JSESSIONID=");
        assertThat(page.text()).isEqualTo("<esi:include src=\"/scraps/fragment/own\"/>");
    }

    @Test
    void pageThatMakesASessionIsPrivateWhateverItSays() {
        assertThat(behindSurrogate("session.jsp").field("Cache-Control"))
                .isEqualTo("private, no-store");
    }

    @Test
    void exceptIsChosenByTheStatusThatFailed() {
        assertThat(alone("attempt.jsp").text()).isEqualTo("nowhere");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "edition=night | night, night!",
                "edition=dawn  | dawn, dawn!",
                "other=1       | day, none!"
            })
    void branchIsChosenByTheReader(String cookie, String expected) {
        assertThat(tomcat.get("/scraps/tags/choose.jsp?instead=none", "Cookie", cookie).text())
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cookie", "session", "user", "authorization"})
    void pageThatReadsDataOfOneReaderIsPrivateWhateverItSays(String what) {
        var page = behindSurrogate("reads.jsp?what=" + what, OF_READER);

        assertThat(page.text()).endsWith(".");
        assertThat(page.field("Cache-Control")).isEqualTo("private, no-store");
        assertThat(page.field("Surrogate-Control")).isNull();
    }

    @Test
    void pageThatReadsItAfterItsHeadIsBrokenOff() {
        assertThat(behindSurrogate("reads.jsp?what=nothing", OF_READER).field("Surrogate-Control"))
                .isEqualTo("max-age=30");
        assertThatThrownBy(() -> behindSurrogate("reads.jsp?what=late", OF_READER))
                .hasMessageContaining("the connection ended inside a message")
                .hasMessageNotContaining("ada");
    }

    @Test
    void controlSaysHowLongTheResponseIsKept() {
        var page = behindSurrogate("control.jsp?id=7");

        assertThat(page.text()).isEqualTo("kept");
        assertThat(page.field("Surrogate-Control"))
                .isEqualTo("max-age=30+300, stale-if-error=3600");
        assertThat(page.field("Cache-Control")).isEqualTo("max-age=5");
        assertThat(page.field("Surrogate-Key")).isEqualTo("news article-7");
    }

    @Test
    void controlKeepsAResponsePrivate() {
        var page = behindSurrogate("private.jsp");

        assertThat(page.field("Cache-Control")).isEqualTo("private, no-store");
        assertThat(page.field("Surrogate-Control")).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "attempt-outside | esi:attempt is not allowed inside esi:choose (expected inside esi:try)",
                "param-outside | esi:param is not allowed at the top level (expected inside esi:include)",
                "try-without-attempt | esi:try has 0 esi:attempt inside (expected one, then esi:except)",
                "choose-without-when | esi:choose has no esi:when inside (expected one or more)",
                "wrong-onerror | esi:include is not valid (expected continue or fail)",
                "wrong-timeout | esi:include is not a duration (expected for example 30s, 5m or 500ms)",
                "wrong-ttl | esi:control is not a duration (expected for example 30s, 5m or 500ms)",
                "wrong-scope | esi:control is not valid (expected public or private)",
                "wrong-context | esi:include is not a path (expected for example /shop, or / for the root)"
            })
    void mistakeFailsThePageAndSaysWhatWasExpected(String page, String message) {
        var response = alone(page + ".jsp");

        assertThat(response.status()).isEqualTo(500);
        assertThat(response.text()).contains(message);
    }

    @Test
    void controlBehindWhatHasBeenSentBreaksThePageOff() {
        assertThatThrownBy(() -> behindSurrogate("late.jsp"))
                .hasMessageContaining("the connection ended inside a message")
                .hasMessageNotContaining("shown");
    }

    @Test
    void conditionCannotBeComputed() {
        var response = alone("computed-test.jsp?q=1==1");

        assertThat(response.status()).isEqualTo(500);
        assertThat(response.text()).contains("test").doesNotContain(">x<");
    }

    private static Response alone(String page) {
        return tomcat.get(Tomcat.CONTEXT + "/tags/" + page);
    }

    private static Response behindSurrogate(String page, String... fields) {
        var all = new ArrayList<>(List.of(fields));
        all.addAll(List.of("Surrogate-Capability", "varnish=\"Surrogate/1.0 ESI/1.0\""));
        return tomcat.get(Tomcat.CONTEXT + "/tags/" + page, all.toArray(String[]::new));
    }
}
