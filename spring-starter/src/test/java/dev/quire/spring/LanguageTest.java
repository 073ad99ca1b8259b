package dev.quire.spring;

import static dev.quire.spring.PolicyTest.field;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The whole language, assembled in the application. */
@SpringBootTest(
        classes = Language.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "quire.stamp.enabled=false",
            "quire.content-types=text/html,application/json",
            "quire.fallback.variables.SITE=night of the elections"
        })
class LanguageTest {

    @LocalServerPort private int port;
    private Visitor client;

    @BeforeEach
    void comeWithoutSurrogate() {
        client = Visitor.of(port);
    }

    /** The part of the form {@code a=b} that a handler can read after it has read parameters. */
    String formReadAsParameters() {
        return "a=b";
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private HttpResponse<String> page(String body) {
        return client.get("/page?body=" + encoded(body));
    }

    private String assembled(String body) {
        var page = page(body);
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(field(page, "Cache-Control")).isEqualTo("private, no-store");
        assertThat(field(page, "Content-Length"))
                .isEqualTo("" + page.body().getBytes(StandardCharsets.UTF_8).length);
        assertThat(page.headers().firstValue("Surrogate-Control")).isEmpty();
        return page.body();
    }

    private static String include(String src, String attributes) {
        return "<esi:include src=\"" + src.replace("&", "&amp;") + "\" " + attributes + "/>";
    }

    @Test
    void aCookieChoosesTheBranch() {
        var body =
                """
                <esi:choose>
                <esi:when test="$(HTTP_COOKIE{group}) == 'editor'">edit</esi:when>
                <esi:otherwise>read</esi:otherwise>
                </esi:choose>\
                """;

        assertThat(assembled(body)).isEqualTo("read");
        client = client.with("Cookie", "a=b; group=editor");
        assertThat(assembled(body)).isEqualTo("edit");
    }

    @Test
    void aBranchThatIsNotTakenIsNotAskedFor() {
        assertThat(
                        assembled(
                                """
                                <esi:choose><esi:when test="0"><esi:include src="/part/throws" onerror="fail"/></esi:when>\
                                <esi:otherwise>fine</esi:otherwise></esi:choose>\
                                """))
                .isEqualTo("fine");
    }

    @Test
    void aDeniedCookieMayBeTestedAndIsNeverWritten() {
        client = client.with("Cookie", "JSESSIONID=secret; plain=seen");

        assertThat(
                        assembled(
                                """
                                <esi:vars>[$(HTTP_COOKIE{JSESSIONID})$(HTTP_COOKIE{plain})]</esi:vars>\
                                <esi:choose><esi:when test="$(HTTP_COOKIE{JSESSIONID})">has one</esi:when></esi:choose>\
                                """))
                .isEqualTo("[seen]has one");
    }

    @Test
    void aFailedAttemptGivesWayToTheExceptOfItsStatus() {
        var body =
                """
                <esi:try>\
                <esi:attempt>before <esi:include src="/part/%s"/></esi:attempt>\
                <esi:except code="404">none</esi:except>\
                <esi:except code="500">broken</esi:except>\
                <esi:except>other</esi:except>\
                </esi:try>\
                """;

        assertThat(assembled(body.formatted("word/there"))).isEqualTo("before there");
        assertThat(assembled(body.formatted("status/404"))).isEqualTo("none");
        assertThat(assembled(body.formatted("no-such-handler"))).isEqualTo("none");
        assertThat(assembled(body.formatted("throws"))).isEqualTo("broken");
        assertThat(assembled(body.formatted("status/410"))).isEqualTo("other");
    }

    @Test
    void variablesTellOfTheRequest() {
        client = client.with("User-Agent", "Mozilla/5.0 (X11; Linux)").with("X-Region", "<11>");

        assertThat(
                        assembled(
                                """
                                <esi:vars>$(HTTP_HOST) $(REQUEST_METHOD) $(REQUEST_PATH) $(REMOTE_ADDR)
                                $(HTTP_USER_AGENT{os}) $(HTTP_X_REGION) $(RAW_HTTP_X_REGION) $(SITE)
                                $(HTTP_SURROGATE_CAPABILITY)$(HTTP_X_ESI_LEVEL|'none')</esi:vars>\
                                """))
                .isEqualTo(
                        """
                        127.0.0.1:%d GET /page 127.0.0.1
                        UNIX &lt;11&gt; <11> night of the elections
                        none\
                        """
                                .formatted(port));
    }

    @Test
    void whatSurrogatesTellOneAnotherIsNotTakenFromClients() {
        client = client.with("X-ESI-Level", "7").with("Surrogate-Control", "x");

        assertThat(assembled("<esi:vars>[$(HTTP_X_ESI_LEVEL)$(HTTP_SURROGATE_CONTROL)]</esi:vars>"))
                .isEqualTo("[]");
    }

    @Test
    void aFragmentKnowsItsOwnAddress() {
        assertThat(
                        assembled(
                                include(
                                        "/part/document?x=1&body="
                                                + encoded(
                                                        "<esi:vars>$(REQUEST_PATH) $(QUERY_STRING{x})</esi:vars>"),
                                        "")))
                .isEqualTo("/part/document 1");
    }

    @Test
    void valuesAreAssignedAndLoopedOver() {
        assertThat(
                        assembled(
                                """
                                <esi:assign name="regions" value="['11', '26']"/>\
                                <esi:foreach collection="$(regions)" item="region">\
                                <esi:include src="/part/word/r$(region)"/>;\
                                </esi:foreach>\
                                """))
                .isEqualTo("r11;r26;");
    }

    @Test
    void evalRunsInThePagesOwnNamespace() {
        var document = encoded("<esi:assign name=\"a\" value=\"'set'\"/>there ");

        assertThat(
                        assembled(
                                """
                                <esi:eval src="/part/silent-document?body=%s"/><esi:vars>$(a)</esi:vars>\
                                """
                                        .formatted(document)))
                .isEqualTo("there set");
    }

    @Test
    void functionsAreCalled() {
        assertThat(
                        assembled(
                                """
                                <esi:function name="twice"><esi:return value="$(ARGS{0}) + $(ARGS{0})"/></esi:function>\
                                <esi:vars>$twice('ab') $upper('x') $http_time($time())</esi:vars>\
                                """))
                .isEqualTo("abab X Fri, 20 Nov 2026 12:00:00 GMT");
    }

    @Test
    void chanceIsABean() {
        var body = "<esi:vars>$rand(1000)</esi:vars>";

        assertThat(assembled(body)).isEqualTo(assembled(body));
    }

    @Test
    void aFragmentThatMustBeThereFailsThePage() {
        var page = page("kept back " + include("/part/status/404", "onerror=\"fail\""));

        assertThat(page.statusCode()).isEqualTo(502);
        assertThat(page.body()).doesNotContain("kept back");
        assertThat(field(page, "Cache-Control")).contains("no-store");
        assertThat(page.headers().firstValue("Surrogate-Control")).isEmpty();
    }

    @Test
    void aFragmentThatMustBeThereInTimeFailsThePageWithATimeout() {
        var page = page(include("/part/never", "onerror=\"fail\" maxwait=\"50\""));

        assertThat(page.statusCode()).isEqualTo(504);
    }

    @Test
    void aFragmentThatIsTooLateHasItsAlternative() {
        assertThat(assembled(include("/part/never", "maxwait=\"50\" alt=\"/part/word/late\"")))
                .isEqualTo("late");
    }

    @Test
    void aPrimaryFragmentGivesThePageItsStatus() {
        var made = page(include("/part/status/201", "primary=\"true\""));
        var gone = page("sorry" + include("/part/status/410", "primary=\"true\""));

        assertThat(made.statusCode()).isEqualTo(201);
        assertThat(made.body()).isEqualTo("status 201");
        assertThat(gone.statusCode()).isEqualTo(410);
        assertThat(gone.body()).isEqualTo("sorry");
    }

    @ParameterizedTest
    @CsvSource({"204, 200", "205, 200", "206, 200", "304, 502", "416, 200"})
    void aStatusThatAllowsNoPageIsNotThePages(int primary, int whole) {
        var page = page("there" + include("/part/bare/" + primary, "primary=\"true\""));

        assertThat(page.statusCode()).isEqualTo(whole);
        assertThat(page.body()).isNotEmpty();
    }

    @Test
    void responseFunctionsChangeTheResponse() {
        var page =
                page(
                        """
                        <esi:vars>$add_header('X-Found', 'yes')$add_header('Cache-Control', 'public')$set_response_code(418)</esi:vars>tea\
                        """);

        assertThat(page.statusCode()).isEqualTo(418);
        assertThat(page.body()).isEqualTo("tea");
        assertThat(field(page, "X-Found")).isEqualTo("yes");
        assertThat(page.headers().allValues("Cache-Control")).containsExactly("private, no-store");
    }

    @ParameterizedTest
    @ValueSource(ints = {205, 206, 304, 416, 600})
    void aStatusThatNoPageMayHaveIsRefused(int status) {
        var page = page("<esi:vars>$set_response_code(" + status + ")</esi:vars>tea");

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body()).isEqualTo("tea");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Via", "Accept-Ranges", "Content-Digest", "ETag", "X-ESI-Errors"})
    void aFieldThatIsNotThePagesToSetIsRefused(String name) {
        var page = page("<esi:vars>$add_header('" + name + "', 'forged')</esi:vars>tea");

        assertThat(page.headers().allValues(name)).doesNotContain("forged");
        assertThat(page.body()).isEqualTo("tea");
    }

    @Test
    void aPageMayAnswerWithAnotherBody() {
        var page = page("<esi:vars>$set_response_code(403, 'no entry')</esi:vars>tea");

        assertThat(page.statusCode()).isEqualTo(403);
        assertThat(page.body()).isEqualTo("no entry");
        assertThat(field(page, "Content-Length")).isEqualTo("8");
    }

    @Test
    void aPageMayRedirect() {
        var page = page("<esi:vars>$set_redirect('/elsewhere')</esi:vars>");

        assertThat(page.statusCode()).isEqualTo(302);
        assertThat(field(page, "Location")).isEqualTo("/elsewhere");
    }

    @Test
    void aFragmentIsEscapedAsItsPlaceNeeds() {
        assertThat(assembled("\"" + include("/part/quotes", "escape=\"json\"") + "\""))
                .isEqualTo("\"say \\\"hi\\\" \\\\ </script>\"");
    }

    @Test
    void tagsInsideJsonAreRead() {
        var page =
                client.get(
                        "/json?body="
                                + encoded(
                                        "{\"a\":\"<esi:include src=\\\"\\/part\\/quotes\\\"\\/>\"}"));

        assertThat(page.body()).isEqualTo("{\"a\":\"say \\\"hi\\\" \\\\ </script>\"}");
    }

    @Test
    void parametersAreAppended() {
        assertThat(
                        assembled(
                                """
                                <esi:include src="/part/request?a=1"><esi:param name="b c" value="$(HTTP_COOKIE{x}|'d&amp;e')"/></esi:include>\
                                """))
                .startsWith("GET a=1&b%20c=d%26e\n")
                .contains("parameters a=[1] b c=[d&e] ");
    }

    @Test
    void theRequestForAFragmentIsAsItsIncludeSays() {
        client =
                client.with("X-Dropped", "1")
                        .with("X-Kept", "kept")
                        .with("Cookie", "a=of-the-client")
                        .with("X-ESI-Level", "9");

        assertThat(
                        assembled(
                                include(
                                        "/part/request",
                                        """
                                        method="POST" entity="a=b" \
                                        setheader2="Cookie: c=d; e=f" setheader3="Accept-Language: de" setheader4="Host: evil" \
                                        appendheader="X-Kept: too" removeheader="X-Dropped"\
                                        """)))
                .startsWith("POST null\n")
                .contains("\nx-kept: kept|too\n")
                .contains("\nx-esi-level: 1\n")
                .contains("\nhost: 127.0.0.1:" + port + "\n")
                .contains("\nlocale de\n")
                .contains("\nlength 3\n")
                .contains("\nparameters a=[b] \n")
                .contains("\ncookies c=d e=f \n")
                .endsWith("\nbody " + formReadAsParameters())
                .doesNotContain("x-dropped", "of-the-client");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Esi-Variant",
                "Forwarded",
                "HTTP2-Settings",
                "Proxy",
                "Surrogate-Control",
                "Via",
                "X-ESI-Level",
                "X-ESI-Parent",
                "X-Forwarded-For",
                "x-forwarded-proto",
                "X-Host",
                "X-HTTP-Method",
                "X-HTTP-Method-Override",
                "X-Method-Override",
                "X-Original-URL",
                "X-Real-IP",
                "X-Rewrite-URL"
            })
    void aFieldThatIsNotThePagesToSayStaysAsItIs(String name) {
        var edits = "setheader=\"%s: forged\" appendheader=\"%s: forged\"".formatted(name, name);

        assertThat(assembled(include("/part/request", edits)))
                .startsWith("GET null\n")
                .doesNotContain(": forged", "|forged");
    }

    @Test
    void aClientCannotOverrideTheMethodOfAFragment() {
        client = client.with("X-HTTP-Method-Override", "DELETE");

        assertThat(assembled(include("/part/request", "")))
                .doesNotContain("x-http-method-override");
    }

    @Test
    void redirectsInsideTheApplicationAreFollowed() {
        assertThat(assembled(include("/part/redirect?to=/part/word/there", ""))).isEqualTo("there");
        assertThat(assembled(include("/part/redirects/3", ""))).isEqualTo("arrived");
    }

    @Test
    void aRedirectKeepsOrDropsTheMethodAsItsStatusSays() {
        var post = "method=\"POST\" entity=\"a=b\"";

        assertThat(assembled(include("/part/redirect?status=307&to=/part/request", post)))
                .startsWith("POST null\n")
                .endsWith("\nbody " + formReadAsParameters());
        assertThat(assembled(include("/part/redirect?status=303&to=/part/request", post)))
                .startsWith("GET null\n")
                .endsWith("\nbody ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/part/redirects/4",
                "/part/redirect?to=http://elsewhere.test/",
                "/part/redirect?to=//elsewhere.test/",
                "/part/redirect?status=300&to=/part/word/there",
                "/part/status/302"
            })
    void otherRedirectsFail(String src) {
        assertThat(assembled("[" + include(src, "alt=\"/part/word/no\"") + "]")).isEqualTo("[no]");
    }

    @Test
    void anIncludeMayForbidRedirects() {
        assertThat(
                        assembled(
                                "["
                                        + include(
                                                "/part/redirect?to=/part/word/there",
                                                "redirect=\"no\"")
                                        + "]"))
                .isEqualTo("[]");
    }

    @Test
    void aRedirectedDocumentIsRelativeToWhereItWasFound() {
        var document =
                encoded("/part/document?body=" + encoded("<esi:include src=\"word/near\"/>"));

        assertThat(assembled(include("/part/redirect?to=" + document, ""))).isEqualTo("near");
    }

    @Test
    void anElementOfAWholePageCanBeSelected() {
        assertThat(assembled(include("/part/legacy", "select=\"li.it\"")))
                .isEqualTo("<li class=it>two<b>!</b>");
        assertThat(assembled(include("/part/legacy", "select=\"p\""))).isEqualTo("<p id=é>서울</p>");
    }

    @ParameterizedTest
    @ValueSource(strings = {"h1", "li[", "::", "*:nth-child("})
    void whatSelectsNothingFails(String selector) {
        assertThat(
                        assembled(
                                "<esi:try><esi:attempt>"
                                        + include("/part/legacy", "select=\"" + selector + "\"")
                                        + "</esi:attempt><esi:except>no</esi:except></esi:try>"))
                .isEqualTo("no");
    }

    @Test
    void whetherAFragmentIsReadCanBeSaid() {
        var body = encoded("<esi:vars>$(HTTP_HOST)</esi:vars>");

        assertThat(assembled(include("/part/silent-document?body=" + body, "")))
                .isEqualTo("<esi:vars>$(HTTP_HOST)</esi:vars>");
        assertThat(assembled(include("/part/silent-document?body=" + body, "dca=\"esi\"")))
                .isEqualTo("127.0.0.1:" + port);
        assertThat(assembled(include("/part/document?body=" + body, "dca=\"none\"")))
                .isEqualTo("<esi:vars>$(HTTP_HOST)</esi:vars>");
    }

    @Test
    void aFragmentThatExcludesEsiIsTextWhateverTheIncludeAsksFor() {
        var body = encoded("<esi:vars>$(HTTP_HOST)</esi:vars>");

        assertThat(assembled(include("/part/excluded?body=" + body, "dca=\"esi\"")))
                .isEqualTo("<esi:vars>$(HTTP_HOST)</esi:vars>");
    }

    @Test
    void aRegionOfAFragmentCanBeHad() {
        var document = encoded("all <esi:fragment name=\"r\">of it</esi:fragment> there");

        assertThat(assembled(include("/part/silent-document?body=" + document, "fragment=\"r\"")))
                .isEqualTo("of it");
    }

    @Test
    void aDocumentMayComeAlong() {
        assertThat(
                        assembled(
                                """
                                <esi:inline name="/brought/along">brought along</esi:inline>[<esi:include src="/brought/along"/>]\
                                """))
                .isEqualTo("[brought along]");
    }

    @Test
    void aHandlerMaySayByItselfWhatItIs() {
        var body = "/announced?body=" + encoded("<esi:vars>$(REQUEST_PATH)</esi:vars>");

        assertThat(client.get(body).body()).isEqualTo("/announced");
        assertThat(field(client.get(body), "Cache-Control")).isEqualTo("private, no-store");
        var behind = client.behindSurrogate().get(body);
        assertThat(behind.body()).isEqualTo("<esi:vars>$(REQUEST_PATH)</esi:vars>");
        assertThat(field(behind, "Surrogate-Control")).isEqualTo("max-age=60, content=\"ESI/1.0\"");
    }

    @Test
    void theLanguageIsSpokenInTemplates() {
        var behind = client.behindSurrogate().get("/template");

        assertThat(behind.body())
                .isEqualTo(
                        """
                        <p><esi:choose><esi:when test="$(HTTP_COOKIE{a}) == &apos;1&apos;">of the &lt;model&gt;</esi:when></esi:choose>\
                        <esi:include src="/part/request?a=1&amp;b=2" maxwait="5000" setheader="X-Said: a &quot;b&quot;">\
                        <esi:param name="c" value="&apos;&apos;&apos;of the &lt;model&gt;&apos;&apos;&apos;"/></esi:include></p>
                        """);
        assertThat(field(behind, "Surrogate-Control")).contains("content=\"ESI/1.0\"");
        assertThat(client.get("/template").body())
                .startsWith("<p>GET a=1&b=2&c=of%20the%20%3Cmodel%3E\n")
                .contains("\nx-said: a \"b\"\n");
    }

    @Test
    void aTemplateWithoutIncludesIsAPageToo() {
        assertThat(client.get("/template-without-includes").body())
                .isEqualTo("<p>127.0.0.1:" + port + "</p>\n");
    }

    @Test
    void aVersionWeDoNotSpeakIsLeftAlone() {
        assertThat(client.get("/of-a-later-version").body())
                .isEqualTo("<esi:vars>$(HTTP_HOST)</esi:vars>");
    }

    @Test
    void malformedMarkupFailsNoPage() {
        assertThat(assembled("a<esi:unknown/>b<esi:include/>c")).isEqualTo("abc");
    }
}
