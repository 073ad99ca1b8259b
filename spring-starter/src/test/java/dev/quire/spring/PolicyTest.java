package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.http.HttpResponse;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Policies on the wire, on Tomcat and with Spring Security. */
@SpringBootTest(
        classes = {Site.class, Readers.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "quire.guard.debug=true",
            "server.compression.enabled=true",
            "server.compression.min-response-size=1B"
        })
class PolicyTest {

    @LocalServerPort private int port;
    private Visitor surrogate;

    @BeforeEach
    void comeBehindSurrogate() {
        surrogate = Visitor.of(port).behindSurrogate();
    }

    static String field(HttpResponse<?> response, String name) {
        return String.join(" | ", response.headers().allValues(name));
    }

    @Test
    void aPageTellsSurrogateClientAndPurgerWhatItsPolicySays() {
        var page = surrogate.get("/page");

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(field(page, "Surrogate-Control"))
                .isEqualTo("max-age=60+30, stale-if-error=3600, content=\"ESI/1.0\"");
        assertThat(field(page, "Cache-Control")).isEqualTo("no-cache");
        assertThat(field(page, "Surrogate-Key")).isEqualTo("page front");
        assertThat(field(page, "Vary")).containsIgnoringCase("Surrogate-Capability");
        assertThat(page.headers().firstValue("Pragma")).isEmpty();
        assertThat(page.headers().firstValue("X-Quire-Guard")).isEmpty();
    }

    @Test
    void theDialectEscapesAndLeavesNothingOfItself() {
        var page = surrogate.get("/page").body();

        assertThat(page)
                .contains(
                        "<esi:include src=\"/fragments/live?region=%EC%84%9C%EC%9A%B8%201%262&amp;sort=a%26b\"/>")
                .contains("<esi:include src=\"/fragments/outer\" onerror=\"continue\"/>")
                .contains(
                        "<esi:include src=\"/fragments/broken\" alt=\"/fragments/spare\"/>\n<esi:include src=\"/fragments/missing\"/>")
                .doesNotContain("xmlns:esi", "esi:src", "never");
    }

    @Test
    void aFragmentWithoutTagsDoesNotAskToBeParsed() {
        var fragment = surrogate.get("/fragments/live?region=x");

        assertThat(field(fragment, "Surrogate-Control")).isEqualTo("max-age=3+0");
        assertThat(fragment.headers().firstValue("Vary").orElse(""))
                .doesNotContain("Surrogate-Capability");
    }

    @Test
    void theMethodReplacesWhatItsClassSays() {
        assertThat(field(surrogate.get("/fragments/spare"), "Surrogate-Control"))
                .isEqualTo("max-age=30");
        assertThat(field(surrogate.get("/fragments/greeting"), "Cache-Control"))
                .isEqualTo("private, no-store");
        assertThat(surrogate.get("/fragments/greeting").headers().firstValue("Surrogate-Control"))
                .isEmpty();
    }

    @Test
    void tagsAreMadeOfArguments() {
        var article = surrogate.get("/entity/42");

        assertThat(field(article, "Surrogate-Key")).isEqualTo("article-42");
        assertThat(field(article, "Cache-Control")).isEqualTo("max-age=10");
        assertThat(article.body()).isEqualTo("article 42");
    }

    @Test
    void aNotModifiedAnswerKeepsTheStoredPageAsItIs() {
        var article = surrogate.with("If-None-Match", "\"v42\"").get("/entity/42");

        assertThat(article.statusCode()).isEqualTo(304);
        assertThat(field(article, "Cache-Control")).isEqualTo("max-age=10");
        assertThat(article.headers().firstValue("Surrogate-Control")).isEmpty();
    }

    @Test
    void whatTheHandlerSaysToTheClientStands() {
        var own = surrogate.get("/own-cache-control");

        assertThat(field(own, "Cache-Control")).isEqualTo("max-age=7");
        assertThat(field(own, "Surrogate-Control")).isEqualTo("max-age=300");
    }

    @Test
    void handlersWithoutPolicyAreLeftToSpringSecurity() {
        var plain = surrogate.get("/plain");

        assertThat(field(plain, "Cache-Control"))
                .isEqualTo("no-cache, no-store, max-age=0, must-revalidate");
        assertThat(plain.headers().firstValue("Surrogate-Control")).isEmpty();
    }

    @Test
    void aPageWithoutPolicyStillAnnouncesItsTags() {
        var page = surrogate.get("/silent-page");

        assertThat(field(page, "Surrogate-Control")).isEqualTo("no-store, content=\"ESI/1.0\"");
        assertThat(field(page, "Cache-Control")).contains("no-store");
        assertThat(page.body()).contains("<esi:include");
    }

    @Test
    void headAnswersAsGetWouldWithoutBody() {
        var get = surrogate.get("/page");

        var head = surrogate.send("HEAD", "/page");

        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        for (var name : new String[] {"Surrogate-Control", "Cache-Control", "Surrogate-Key"}) {
            assertThat(field(head, name)).isEqualTo(field(get, name));
        }
    }

    @Test
    void deferredResultsHaveTheirPolicy() {
        var deferred = surrogate.get("/deferred");

        assertThat(deferred.body()).isEqualTo("deferred");
        assertThat(field(deferred, "Surrogate-Control")).isEqualTo("max-age=9");
        assertThat(field(deferred, "Cache-Control")).isEqualTo("no-cache");
    }

    @Test
    void aViewRenderedAfterADispatchAnnouncesItsTags() {
        var page = surrogate.get("/deferred-page");

        assertThat(page.body()).contains("<esi:include").endsWith("</html>\n");
        assertThat(field(page, "Surrogate-Control")).isEqualTo("max-age=9, content=\"ESI/1.0\"");
    }

    @Test
    void aFailureAfterADispatchIsNotPublic() {
        var failure = surrogate.get("/deferred-failure");

        assertThat(failure.statusCode()).isEqualTo(500);
        assertThat(field(failure, "Cache-Control")).contains("no-store").doesNotContain("public");
        assertThat(failure.headers().firstValue("Surrogate-Control")).isEmpty();
    }

    @Test
    void streamedBodiesArriveWholeWithTheirPolicy() {
        var streamed = surrogate.get("/streamed");

        assertThat(streamed.body()).hasSize(200_000).startsWith("0123").endsWith("6789");
        assertThat(field(streamed, "Surrogate-Control")).isEqualTo("max-age=9");
        assertThat(streamed.headers().firstValue("X-Quire-Guard")).isEmpty();
    }

    @Test
    void aForwardKeepsItsBodyAndTakesTheTargetsPolicy() {
        var forwarded = surrogate.get("/forward");

        assertThat(forwarded.body()).isEqualTo("<b>live forwarded null</b>");
        assertThat(field(forwarded, "Surrogate-Control")).isEqualTo("max-age=3+0");
    }

    @Test
    void aRedirectHasItsPolicy() {
        var redirect = surrogate.get("/redirect");

        assertThat(redirect.statusCode()).isEqualTo(302);
        assertThat(field(redirect, "Surrogate-Control")).isEqualTo("max-age=8");
        assertThat(field(redirect, "Cache-Control")).isEqualTo("no-cache");
    }

    @Test
    void compressionOfTheContainerLeavesThePolicy() throws Exception {
        var page = surrogate.with("Accept-Encoding", "gzip").getBytes("/page");

        assertThat(field(page, "Content-Encoding")).isEqualTo("gzip");
        assertThat(field(page, "Surrogate-Control")).contains("max-age=60+30");
        try (var plain = new GZIPInputStream(new ByteArrayInputStream(page.body()))) {
            assertThat(plain.readAllBytes()).isEqualTo(surrogate.getBytes("/page").body());
        }
    }

    @Test
    void anUnknownAttributeOfAnIncludeIsAnErrorThatNamesIt() {
        var wrong = surrogate.get("/wrong-attribute");

        assertThat(wrong.statusCode()).isEqualTo(500);
        assertThat(field(wrong, "Cache-Control")).contains("no-store");
    }
}
