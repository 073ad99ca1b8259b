package dev.quire.test;

import static dev.quire.test.SmallApplication.handler;
import static dev.quire.test.SmallApplication.kept;
import static dev.quire.test.SmallApplication.response;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FragmentContractTest {
    private final SmallApplication application = new SmallApplication();

    @Test
    void aFragmentThatKeepsToItPasses() {
        application
                .on("/live", request -> read(request, kept("<p>31%</p>", "Surrogate-Key", "count")))
                .declares(handler("/live"));

        FragmentContract.verify(application.site(), "/live");
        FragmentContract.verify(application.site(), "Paper#live");
        assertThat(FragmentContract.verifyAll(application.site())).containsExactly("/live");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    <html><p>31%</p></html>                      | NO_DOCUMENT   | <html>
                    <!DOCTYPE html><p>31%</p>                    | NO_DOCUMENT   | <!DOCTYPE
                    <script nonce="x1">count()</script>          | NO_NONCE      | x1 at script (@nonce)
                    <form><input name=_csrf value=k2></form>     | NO_CSRF_TOKEN | k2 at form > input (@value)
                    <p><esi:include src="/map"/></p>             | DECLARED_ESI  | <esi:include, and Surrogate-Control: max-age=30
                    """)
    void whatDoesNotBelongIntoAFragmentIsABreach(String html, ContractRule rule, String seen) {
        application.on("/live", request -> read(request, kept(html)));

        assertThat(breaches("/live"))
                .containsExactly(new BrokenContract.Breach("/live", Optional.empty(), rule, seen));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    Set-Cookie    | seen=1              | NO_COOKIE    | Set-Cookie: seen=1
                    Surrogate-Key | a,b                 | TAGS         | Surrogate-Key: "a,b"
                    xkey          | région              | TAGS         | xkey: "région"
                    Content-Type  | text/html           | CONTENT_TYPE | Content-Type: text/html
                    """)
    void whatAFieldSaysWrongIsABreach(String name, String value, ContractRule rule, String seen) {
        application.on("/live", request -> read(request, kept("<p>31%</p>", name, value)));

        assertThat(breaches("/live"))
                .containsExactly(new BrokenContract.Breach("/live", Optional.empty(), rule, seen));
    }

    @Test
    void tagsHaveToFitIntoAField() {
        application.on(
                "/live",
                request -> read(request, kept("<p>31%</p>", "Cache-Tag", "tag,".repeat(5000))));

        assertThat(breaches("/live"))
                .extracting(BrokenContract.Breach::seen)
                .containsExactly("20000 bytes of tags (expected at most 16384)");
    }

    @Test
    void aRedirectAndAnErrorAreNoFragments() {
        application
                .on("/me", request -> response(302, "", "Location", "/login"))
                .on("/off", request -> response(503, "", "Cache-Control", "no-store"));

        assertThat(breaches("/me", "/off"))
                .extracting(BrokenContract.Breach::rule, BrokenContract.Breach::seen)
                .containsExactly(
                        tuple(ContractRule.NO_REDIRECT, "302 to /login"),
                        tuple(ContractRule.ANSWERS, "503 to GET /off"));
    }

    @Test
    void aFragmentIsReadAndNotWritten() {
        application.on("/live", request -> kept("<p>31%</p>"));

        assertThat(breaches("/live"))
                .containsExactly(
                        new BrokenContract.Breach(
                                "/live",
                                Optional.empty(),
                                ContractRule.READ_ONLY,
                                "200, Surrogate-Control: max-age=30"));
    }

    @Test
    void headIsAnsweredLikeGet() {
        application.on(
                "/live",
                request ->
                        request.method().equals("HEAD")
                                ? response(405, "")
                                : read(request, kept("<p>31%</p>")));

        assertThat(breaches("/live"))
                .containsExactly(
                        new BrokenContract.Breach(
                                "/live",
                                Optional.empty(),
                                ContractRule.HEAD_AS_GET,
                                "405 to HEAD, 200 to GET"));
    }

    @ParameterizedTest
    @CsvSource({
        "200, <h1>Not found</h1>, no-store, REAL_STATUS",
        "404, <p>no such tools</p>, max-age=60, NO_KEPT_ERROR"
    })
    void whatIsWrongWithARequestIsSaidByTheStatusAndNotKept(
            int status, String html, String control, ContractRule rule) {
        application.on(
                "/tools",
                request ->
                        read(
                                request,
                                request.target().endsWith("aid=4665")
                                        ? kept("<p>tools</p>")
                                        : request.target().contains("=")
                                                ? response(
                                                        status, html, "Surrogate-Control", control)
                                                : response(400, "", "Cache-Control", "no-store")));

        assertThat(breaches("/tools?aid=4665"))
                .extracting(BrokenContract.Breach::rule)
                .containsExactly(rule);
    }

    @Test
    void whatIsKeptSaysHowLong() {
        application
                .on("/silent", request -> read(request, response(200, "<p>31%</p>")))
                .on(
                        "/demoted",
                        request ->
                                read(
                                        request,
                                        response(
                                                200,
                                                "<p>31%</p>",
                                                "Cache-Control",
                                                "private, no-store",
                                                "X-Quire-Guard",
                                                "session-read")))
                .declares(handler("/demoted"));

        assertThat(breaches("/silent", "/demoted"))
                .extracting(BrokenContract.Breach::rule, BrokenContract.Breach::seen)
                .containsExactly(
                        tuple(ContractRule.LIFETIME, "no caching fields"),
                        tuple(
                                ContractRule.KEPT,
                                "Cache-Control: private, no-store (session-read)"));
    }

    @ParameterizedTest
    @CsvSource({
        "Cache-Control, s-maxage=60",
        "CDN-Cache-Control, max-age=60",
        "Expires, 'Sun, 06 Nov 2033 08:49:37 GMT'"
    })
    void aLifetimeIsGivenByEachFieldOfCaches(String name, String value) {
        application.on("/live", request -> read(request, response(200, "<p>31%</p>", name, value)));

        FragmentContract.verify(application.site(), "/live");
    }

    @Test
    void aPageMayBeADocumentWithTagsThatItAnnounces() {
        application
                .on(
                        "/home",
                        request ->
                                read(
                                        request,
                                        response(
                                                200,
                                                "<html><esi:include src=\"/live\"/></html>",
                                                "Surrogate-Control",
                                                "max-age=60, content=\"ESI/1.0\"")))
                .declares(page("/home"));

        assertThat(FragmentContract.verifyAll(application.site())).containsExactly("/home");
    }

    @Test
    void allBreachesStandInOneMessage() {
        application
                .on(
                        "/live",
                        request -> read(request, kept("<body>31%</body>", "Set-Cookie", "a=1")))
                .declares(handler("/live"), withoutExample("/tools"));

        assertThatExceptionOfType(BrokenContract.class)
                .isThrownBy(() -> FragmentContract.verifyAll(application.site()))
                .withMessage(
                        """
                        3 breaches of the fragment contract in 1 fragment or page:

                        broken[NO_COOKIE]: /live sets a cookie
                           --> Paper#live (paper.Paper#live)
                           saw Set-Cookie: a=1
                           fix: set cookies in the response of the page itself; do not start a session in the handler or its view

                        broken[NO_DOCUMENT]: /live is a complete HTML document
                           --> Paper#live (paper.Paper#live)
                           saw <body>
                           fix: return only the elements to insert, without <html>, <head> and <body>; annotate complete pages with @EsiPage

                        broken[ASKED]: Paper#tools could not be requested
                           --> Paper#tools (paper.Paper#tools)
                           saw no value for aid
                           fix: give an example: FragmentContract.verifyAll(site, "/path?argument=…"), or set quire.dev.samples[NAME].ARGUMENT\
                        """);
    }

    @Test
    void examplesAreForHandlersThatNeedThem() {
        application
                .on("/tools/4665", request -> read(request, kept("<p>tools</p>")))
                .declares(withoutExample("/tools/{aid}"));

        assertThat(FragmentContract.verifyAll(application.site(), "/tools/4665"))
                .containsExactly("/tools/4665");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> FragmentContract.verifyAll(application.site(), "/tool/4665"))
                .withMessage(
                        "the example /tool/4665 matches no declared path (expected one of [/tools/{aid}])");
    }

    /** Answers GET and HEAD. */
    private static Response read(Request request, Response answer) {
        return request.method().equals("POST")
                ? response(405, "", "Allow", "GET, HEAD", "Cache-Control", "no-store")
                : answer;
    }

    private List<BrokenContract.Breach> breaches(String... targets) {
        var failure =
                catchThrowableOfType(
                        BrokenContract.class,
                        () -> FragmentContract.verify(application.site(), targets));
        assertThat(failure).as("broken contract").isNotNull();
        return failure.breaches();
    }

    private static FragmentHandler page(String path) {
        var known = handler(path);
        return new FragmentHandler(
                known.name(),
                known.handler(),
                known.paths(),
                true,
                true,
                known.ttl(),
                List.of(),
                List.of(),
                known.example(),
                List.of());
    }

    private static FragmentHandler withoutExample(String path) {
        var known = handler(path);
        return new FragmentHandler(
                known.name(),
                known.handler(),
                known.paths(),
                false,
                true,
                known.ttl(),
                List.of(),
                List.of(),
                Optional.empty(),
                List.of("aid"));
    }
}
