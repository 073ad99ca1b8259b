package dev.quire.test;

import static dev.quire.test.SmallApplication.handler;
import static dev.quire.test.SmallApplication.kept;
import static dev.quire.test.SmallApplication.reader;
import static dev.quire.test.SmallApplication.response;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import dev.quire.core.http.Fields;
import dev.quire.test.wire.Request;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LeakDetectorTest {
    private static final User ANN = member("ann-of-oslo");
    private static final User BOB = member("bob-of-bergen");
    private static final User AUTHORIZED =
            User.user("cleo-of-moss").withField("Authorization", "Basic Yw==");

    private final SmallApplication application = new SmallApplication();

    @Test
    void theNameOfAReaderIsFoundWithItsPlaceAndWhatToDo() {
        application
                .fragment(
                        "/live",
                        request ->
                                "<div class=\"live\"><p>31% counted</p><p class=\"who\">"
                                        + (reader(request).isEmpty()
                                                ? "Log in"
                                                : "Hello <b>" + reader(request) + "</b>")
                                        + "</p></div>")
                .declares(handler("/live"));

        var failure = failure(detector());

        assertThat(failure)
                .hasMessage(
                        """
                        1 finding in 1 public response, requested by anonymous, ann-of-oslo, bob-of-bergen

                        leak[USER_NAME]: /live shows a reader's name to everyone: ann-of-oslo, bob-of-bergen
                          --> Paper#live (paper.Paper#live)
                           at div.live > p.who:nth-child(2) > b (text)
                              ann-of-oslo   | ann-of-oslo
                              bob-of-bergen | bob-of-bergen
                        cache: Surrogate-Control: max-age=30
                          fix: declare @EsiFragment(scope = PRIVATE) on the handler, or move the greeting into a separate private fragment (docs/spring.md, "A login box"). A @ModelAttribute, a static or a ThreadLocal reaches every handler: keep the name out of those that public handlers use\
                        """);
    }

    @Test
    void aNameIsFoundInAFieldToo() {
        application
                .on("/live", request -> kept("31%", "X-Served-To", "<" + reader(request) + ">"))
                .declares(handler("/live"));

        var finding = findings(detector()).getFirst();

        assertThat(finding.cause()).isEqualTo(LeakCause.USER_NAME);
        assertThat(finding.place()).isEqualTo("the field X-Served-To");
        assertThat(finding.users()).containsExactly("ann-of-oslo", "bob-of-bergen");
    }

    @ParameterizedTest
    @ValueSource(strings = {"%s", "<p>%s</p>", "{\"rows\": \"%s\"}"})
    void theExcerptOfALongTextShowsTheLeak(String body) {
        var rows = "{\"i\": 1, \"of\": 2000}, ".repeat(2_000);
        application
                .on(
                        "/name",
                        request ->
                                kept(
                                        body.formatted(rows + reader(request) + rows),
                                        "Content-Type",
                                        body.startsWith("{") ? "application/json" : "text/html"))
                .fragment(
                        "/role",
                        request ->
                                body.formatted(
                                        rows
                                                + (reader(request).isEmpty() ? "guest" : "member")
                                                + rows))
                .declares(handler("/name"), handler("/role"));

        var findings = findings(detector());

        assertThat(findings)
                .extracting(LeakFinding::cause)
                .containsExactly(LeakCause.USER_NAME, LeakCause.UNKNOWN);
        assertThat(findings.getFirst().sides().get("bob-of-bergen"))
                .contains("bob-of-bergen")
                .hasSizeLessThanOrEqualTo(162);
        assertThat(findings.getLast().sides().get("anonymous")).contains("guest");
        assertThat(findings.getLast().sides().get("ann-of-oslo")).contains("member");
    }

    @Test
    void whatIsLeftOverFromTheReaderBeforeIsFoundWhoeverAsks() {
        var last = new String[] {""};
        application
                .on(
                        "/me",
                        request -> {
                            last[0] = reader(request);
                            return response(
                                    200, "hello " + last[0], "Cache-Control", "private, no-store");
                        })
                .fragment("/live", request -> "<p title=\"for " + last[0] + "\">31%</p>")
                .declares(handler("/live"));
        application.site().as(ANN).ask("/me");

        var finding = findings(detector()).getFirst();

        assertThat(finding.cause()).isEqualTo(LeakCause.USER_NAME);
        assertThat(finding.by()).isEqualTo("ann-of-oslo");
        assertThat(finding.place()).isEqualTo("p (@title)");
        assertThat(finding.users()).containsExactly("anonymous", "ann-of-oslo", "bob-of-bergen");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    <p>o'hara@oslo.example</p>           | p (text)
                    <p>o&#39;hara@oslo.example</p>       | p (text)
                    <a href="/x?to=o%27hara%40oslo.example">x</a> | a (@href)
                    <!-- o'hara@oslo.example -->         | body (comment)
                    <script>who("o'hara@oslo.example")</script> | script (script or style)
                    """)
    void aSeededSecretIsFoundHoweverItIsWritten(String html, String place) {
        application.fragment("/live", request -> html).declares(handler("/live"));
        var seeded = ANN.withSecret("o'hara@oslo.example");

        var findings =
                findings(LeakDetector.check(application.site()).users(User.anonymous(), seeded));

        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().cause()).isEqualTo(LeakCause.SECRET);
        assertThat(findings.getFirst().by()).isEqualTo("a secret of ann-of-oslo");
        assertThat(findings.getFirst().place()).isEqualTo(place);
    }

    @Test
    void aCookieOfTheTestThatIsShownIsNamed() {
        application
                .fragment("/live", request -> "<p>" + request.field("Cookie") + "</p>")
                .declares(handler("/live"));
        var cleo = User.user("cleo-of-moss").withCookie("tz", "Europe/Oslo");

        var findings =
                findings(LeakDetector.check(application.site()).users(User.anonymous(), cleo));

        assertThat(findings)
                .extracting(LeakFinding::cause, LeakFinding::by)
                .containsExactly(
                        tuple(LeakCause.SECRET, "the cookie tz of cleo-of-moss"),
                        tuple(LeakCause.HEADER_WITHOUT_VARY, "Cookie"));
    }

    @Test
    void aNameInsideOfAWordIsNobodysName() {
        application.fragment("/live", request -> "<p>announcement</p>").declares(handler("/live"));

        assertThat(
                        LeakDetector.check(application.site())
                                .users(User.anonymous(), member("ann"))
                                .allPublicFragments()
                                .findings())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    <form><input type=hidden name=_csrf value="TOKEN"></form> | form > input (@value)
                    <meta name=_csrf content="TOKEN"><meta name=_csrf_header content=X-CSRF-T> | meta:nth-child(1) (@content)
                    <script>var csrfToken = "TOKEN";</script>            | script (script)
                    <a href="/logout?_csrf=TOKEN">x</a>                  | a (@href)
                    <div data-csrf="TOKEN"></div>                        | div (@data-csrf)
                    """)
    void aCsrfTokenIsFoundOnceWhoeverAsks(String html, String place) {
        var count = new AtomicInteger(100);
        application
                .fragment(
                        "/form",
                        request ->
                                html.replace(
                                        "TOKEN", "c0ffee-c0ffee-c0ffee-" + count.incrementAndGet()))
                .declares(handler("/form"));

        var findings = findings(detector());

        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().cause()).isEqualTo(LeakCause.CSRF_TOKEN);
        assertThat(findings.getFirst().place()).isEqualTo(place);
        assertThat(findings.getFirst().text()).contains("<esi:csrf/>");
    }

    @Test
    void aCookieThatIsSetIsFoundThoughOurOwnProxyWouldNotKeepTheAnswer() {
        application
                .on("/live", request -> kept("31%", "Set-Cookie", "JSESSIONID=17; Path=/"))
                .declares(handler("/live"));

        var findings = findings(detector());

        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().cause()).isEqualTo(LeakCause.SESSION_COOKIE);
        assertThat(findings.getFirst().by()).isEqualTo("JSESSIONID");
        assertThat(findings.getFirst().text())
                .contains("sets a cookie: JSESSIONID", "getSession()");
    }

    @Test
    void theIdOfASessionInAnAddressIsOneFinding() {
        application
                .fragment(
                        "/live",
                        request -> "<a href=\"/all;jsessionid=" + reader(request) + "\">all</a>")
                .declares(handler("/live"));

        var findings = findings(LeakDetector.check(application.site()).users(ANN, BOB));

        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().cause()).isEqualTo(LeakCause.SESSION_ID_IN_URL);
        assertThat(findings.getFirst().sides())
                .containsEntry("ann-of-oslo", "/all;jsessionid=ann-of-oslo");
        assertThat(findings.getFirst().text()).contains("tracking-modes=cookie");
    }

    @Test
    void aSessionCookiesValueIsASecret() {
        var given = new AtomicInteger(10_000_000);
        application
                .on(
                        "/login",
                        request ->
                                response(
                                        200,
                                        "in",
                                        "Set-Cookie",
                                        "SESSION=s" + given.incrementAndGet(),
                                        "Cache-Control",
                                        "no-store"))
                .fragment("/live", request -> "<p id=\"" + reader(request) + "\">31%</p>")
                .declares(handler("/live"));
        User.Login login = site -> site.get("/login");

        var findings =
                findings(
                        LeakDetector.check(application.site())
                                .users(User.anonymous(), User.user("cleo").logsIn(login)));

        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().cause()).isEqualTo(LeakCause.SECRET);
        assertThat(findings.getFirst().by()).isEqualTo("the cookie SESSION of cleo");
    }

    @Test
    void aTokenFromAPrivatePageIsKnownWhereverItTurnsUp() {
        application
                .on(
                        "/login",
                        request ->
                                response(
                                        200,
                                        "<form><input name=_csrf value=5tr0ngt0ken></form>",
                                        "Set-Cookie",
                                        "SESSION=s",
                                        "Cache-Control",
                                        "no-store"))
                .fragment("/live", request -> "<p>5tr0ngt0ken</p>")
                .declares(handler("/live"));
        User.Login login = site -> site.get("/login");

        var findings =
                findings(
                        LeakDetector.check(application.site())
                                .users(User.anonymous(), User.user("cleo").logsIn(login)));

        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().cause()).isEqualTo(LeakCause.CSRF_TOKEN);
        assertThat(findings.getFirst().by()).isEqualTo("the one of cleo");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Accept-Encoding", "Accept-Language"})
    void aNameThatOnlyOneValueOfAFieldShowsIsFound(String vary) {
        application
                .on(
                        "/live",
                        request ->
                                kept(
                                        isGerman(request)
                                                ? "<p>Hallo " + reader(request) + "</p>"
                                                : "<p>Welcome</p>",
                                        "Vary",
                                        vary))
                .declares(handler("/live"));

        var findings = findings(LeakDetector.check(application.site()).users(ANN, BOB));

        assertThat(findings)
                .extracting(LeakFinding::cause, LeakFinding::by, LeakFinding::place)
                .containsExactly(tuple(LeakCause.USER_NAME, "ann-of-oslo", "p (text)"));
        assertThat(findings.getFirst().sides())
                .containsExactly(
                        entry("Accept-Language: de-DE,de;q=0.9,nl;q=0.8,…", "Hallo ann-of-oslo"));
    }

    @Test
    void aNameThatShowsWhenAUserAsksAgainIsFound() {
        var requests = new AtomicInteger();
        application
                .fragment(
                        "/live",
                        request ->
                                "<p>%s</p><i>%s</i>"
                                        .formatted(
                                                reader(request).isEmpty() ? "guest" : "member",
                                                requests.incrementAndGet() > 4
                                                        ? reader(request)
                                                        : ""))
                .declares(handler("/live"));

        assertThat(findings(LeakDetector.check(application.site()).users(User.anonymous(), ANN)))
                .extracting(LeakFinding::cause, LeakFinding::by)
                .contains(tuple(LeakCause.USER_NAME, "ann-of-oslo"));
    }

    @Test
    void aNameThatOnlyAWrongArgumentShowsIsFound() {
        application
                .fragment(
                        "/tools",
                        request ->
                                request.target().endsWith("aid=4665")
                                        ? "<p>tools</p>"
                                        : "<p>Nothing for " + reader(request) + "</p>")
                .declares(withoutExample("/tools", "aid"));

        var findings =
                findings(
                        LeakDetector.check(application.site())
                                .users(ANN, BOB)
                                .example("Paper#tools", "/tools?aid=4665"));

        assertThat(findings).extracting(LeakFinding::cause).containsExactly(LeakCause.USER_NAME);
        assertThat(findings.getFirst().sides())
                .containsExactly(entry("aid=no-such-value", "Nothing for ann-of-oslo"));
    }

    @Test
    void aLanguageWithoutVaryIsFoundAndNamed() {
        application
                .fragment(
                        "/live", request -> isGerman(request) ? "<p>gezählt</p>" : "<p>counted</p>")
                .declares(handler("/live"));

        var findings = findings(detector());

        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().text())
                .isEqualTo(
                        """
                        leak[LOCALE_WITHOUT_VARY]: /live differs by language, but has no matching Vary: Accept-Language
                          --> Paper#live (paper.Paper#live)
                           at p (text)
                              Accept-Language: en-US,en;q=0.9           | counted
                              Accept-Language: de-DE,de;q=0.9,nl;q=0.8,… | gezählt
                        cache: Surrogate-Control: max-age=30
                          fix: make the language part of the path or a variant (a VariantResolver, then @EsiFragment(vary = "language")), add Vary: Accept-Language, or set spring.web.locale-resolver=fixed. Check for a locale held in a ThreadLocal or a static, too\
                        """
                                .replace("q=0.9           |", "q=0.9            |"));
    }

    @ParameterizedTest
    @CsvSource({
        "User-Agent, iPhone",
        "X-Requested-With, XML",
        "Referer, elsewhere",
        "Cookie, dark",
        "Cookie, tz=Asia/Seoul",
        "Cookie, org.springframework.web.servlet.i18n.CookieLocaleResolver.LOCALE=ko",
        "Cookie, org.springframework.web.servlet.i18n.CookieLocaleResolver.LOCALE=de"
    })
    void aFieldWithoutVaryIsFoundAndNamed(String field, String value) {
        application
                .fragment(
                        "/live",
                        request ->
                                String.valueOf(request.field(field)).contains(value)
                                        ? "<p class=\"other\">31%</p>"
                                        : "<p>31%</p>")
                .declares(handler("/live"));

        var findings = findings(detector());

        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().cause()).isEqualTo(LeakCause.HEADER_WITHOUT_VARY);
        assertThat(findings.getFirst().by()).isEqualTo(field);
        assertThat(findings.getFirst().place()).isEqualTo("p (@class)");
    }

    @ParameterizedTest
    @CsvSource({
        "X-Experiment, b",
        "CF-IPCountry, KR",
        "X-Forwarded-For, 203.0.113.7",
        "Sec-CH-UA-Mobile, ?1"
    })
    void aFieldThatTheApplicationReadsIsProbed(String field, String value) {
        application
                .fragment(
                        "/live",
                        request -> value.equals(request.field(field)) ? "<p>new</p>" : "<p>old</p>")
                .declares(handler("/live"));
        assertThat(detector().allPublicFragments().findings()).isEmpty();
        application.reads("Host", "If-None-Match", field);

        var findings = findings(detector());

        assertThat(findings)
                .extracting(LeakFinding::cause, LeakFinding::by)
                .containsExactly(tuple(LeakCause.HEADER_WITHOUT_VARY, field));
    }

    @Test
    void aCookieOfAReadersOwnWithoutVaryIsFoundAndNamed() {
        application
                .fragment(
                        "/live",
                        request ->
                                String.valueOf(request.field("Cookie")).contains("size=large")
                                        ? "<p class=\"large\">31%</p>"
                                        : "<p>31%</p>")
                .declares(handler("/live"));

        var findings =
                findings(
                        LeakDetector.check(application.site())
                                .users(
                                        User.anonymous(),
                                        User.user("dan-of-hamar")
                                                .withField("Cookie", "size=large")));

        assertThat(findings).extracting(LeakFinding::cause).contains(LeakCause.HEADER_WITHOUT_VARY);
        assertThat(findings.getLast().by()).isEqualTo("the cookie size");
    }

    @Test
    void fieldsOfUsersThatDifferAreHeldResponsible() {
        application
                .fragment("/live", request -> "<p>" + request.field("X-Region") + "</p>")
                .declares(handler("/live"));

        var findings =
                findings(
                        LeakDetector.check(application.site())
                                .users(
                                        User.user("north-reader").withField("X-Region", "north"),
                                        User.user("south-reader").withField("X-Region", "south")));

        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().cause()).isEqualTo(LeakCause.HEADER_WITHOUT_VARY);
        assertThat(findings.getFirst().by()).isEqualTo("X-Region");
        assertThat(findings.getFirst().sides())
                .containsEntry("north-reader", "north")
                .containsEntry("south-reader", "south");
    }

    @ParameterizedTest
    @CsvSource({
        "ETag, '\"tag-%s\"'",
        "Content-Disposition, attachment; filename=%s.pdf",
        "X-Debug-Session, %s",
        "Last-Modified, %s",
        "X-Unknown, <%s>"
    })
    void aFieldThatDependsOnTheReaderIsFound(String field, String value) {
        application
                .on(
                        "/live",
                        request ->
                                kept(
                                        "<p>31%</p>",
                                        field,
                                        value.formatted(
                                                Integer.toHexString(reader(request).hashCode()))))
                .declares(handler("/live"));

        var findings = findings(detector());

        assertThat(findings)
                .extracting(LeakFinding::cause, LeakFinding::by, LeakFinding::place)
                .containsExactly(
                        tuple(LeakCause.UNKNOWN, "the cookie SESSION", "the field " + field));
    }

    @Test
    void aRandomFieldThatWouldBeReplayedIsFoundUnlessIgnored() {
        application
                .on("/live", request -> kept("31%", "X-Request-Id", UUID.randomUUID().toString()))
                .declares(handler("/live"));

        var findings = findings(detector());

        assertThat(findings)
                .extracting(LeakFinding::cause, LeakFinding::place)
                .containsExactly(tuple(LeakCause.RANDOM_ID, "the field X-Request-Id"));
        assertThat(findings.getFirst().text()).contains("add ignoring(\"the field X-Request-Id\")");
        assertThat(detector().ignoring("the field X-Request-Id").allPublicFragments().text())
                .isEqualTo(
                        "no findings in 1 public response, requested by anonymous, ann-of-oslo, bob-of-bergen");
    }

    @Test
    void anEtagThatFollowsTheBodyIsNoFindingOfItsOwn() {
        var count = new AtomicInteger(10);
        application
                .on(
                        "/live",
                        request -> {
                            int moving = count.incrementAndGet();
                            return kept("<i>" + moving + "</i>", "ETag", "\"" + moving + "\"");
                        })
                .declares(handler("/live"));

        assertThat(detector().ignoring("i").allPublicFragments().findings()).isEmpty();
    }

    @Test
    void varyMustStandInBothAnswers() {
        application
                .on(
                        "/live",
                        request ->
                                isGerman(request)
                                        ? kept("<p>gezählt</p>", "Vary", "Accept-Language")
                                        : kept("<p>counted</p>"))
                .declares(handler("/live"));

        assertThat(findings(detector()))
                .extracting(LeakFinding::cause)
                .containsExactly(LeakCause.LOCALE_WITHOUT_VARY);
    }

    @Test
    void aNonceIsFoundInTheBodyAndInTheField() {
        application
                .on(
                        "/live",
                        request ->
                                kept(
                                        "<script nonce=\"q8fj2\">count()</script>",
                                        "Content-Security-Policy",
                                        "script-src 'nonce-q8fj2'"))
                .declares(handler("/live"));

        var findings = findings(detector());

        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().cause()).isEqualTo(LeakCause.NONCE);
        assertThat(findings.getFirst().place()).isEqualTo("script (@nonce)");
        assertThat(findings.getFirst().more()).isEqualTo(1);
        assertThat(findings.getFirst().text()).contains("and 1 more place", "sha256-");
    }

    @Test
    void anErrorThatIsKeptIsFound() {
        application
                .on(
                        "/live",
                        request ->
                                response(
                                        500,
                                        "<h1>Out of ink</h1>",
                                        "Surrogate-Control",
                                        "max-age=30"))
                .declares(handler("/live"));

        var findings = findings(detector());

        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().text())
                .startsWith(
                        """
                        leak[CACHED_ERROR]: /live is a cacheable error: status 500
                          --> Paper#live (paper.Paper#live)
                              anonymous     | Out of ink
                        """);
    }

    @Test
    void anErrorThatAFieldCausesIsFoundIfItIsKept() {
        application
                .on(
                        "/live",
                        request ->
                                isGerman(request)
                                        ? response(
                                                500,
                                                "<h1>Out of ink</h1>",
                                                "Surrogate-Control",
                                                "max-age=30",
                                                "Vary",
                                                "Accept-Language")
                                        : kept("<p>31%</p>", "Vary", "Accept-Language"))
                .on(
                        "/menu",
                        request ->
                                isGerman(request)
                                        ? response(500, "", "Cache-Control", "no-store")
                                        : kept("<p>menu</p>"))
                .on(
                        "/gone",
                        request ->
                                response(
                                        404,
                                        isGerman(request) ? "weg" : "gone",
                                        "Surrogate-Control",
                                        "max-age=30"))
                .declares(handler("/live"), handler("/menu"), handler("/gone"));

        assertThat(findings(detector()))
                .extracting(LeakFinding::target, LeakFinding::cause, LeakFinding::by)
                .containsExactly(
                        tuple(
                                "/live",
                                LeakCause.CACHED_ERROR,
                                "Accept-Language: de-DE,de;q=0.9,nl;q=0.8,… is answered with status 500"),
                        tuple("/gone", LeakCause.CACHED_ERROR, "status 404"));
    }

    @Test
    void anErrorKeptOnPurposeForOneValueOfAFieldIsFound() {
        application
                .on(
                        "/live",
                        request ->
                                isGerman(request)
                                        ? response(404, "", "Surrogate-Control", "max-age=30")
                                        : kept("<p>31%</p>"))
                .declares(handler("/live"));

        assertThat(findings(detector().keepingOnPurpose(404)))
                .extracting(LeakFinding::cause, LeakFinding::place)
                .containsExactly(tuple(LeakCause.LOCALE_WITHOUT_VARY, "the status"));
    }

    @Test
    void anErrorThatIsKeptOnPurposeIsNoFinding() {
        application
                .on("/gone", request -> response(404, "gone", "Surrogate-Control", "max-age=30"))
                .declares(handler("/gone"));

        assertThat(detector().keepingOnPurpose(404).allPublicFragments().checked())
                .containsExactly("/gone");
        assertThat(findings(detector())).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "404, <p>there is no such article</p>, aid=no-such-value is answered with status 404",
        "200, <h2>Not found</h2>, 'aid=no-such-value is answered with status 200 and the text of an error'",
        "200, <div class=\"error\">oops</div>, 'aid=no-such-value is answered with status 200 and the text of an error'",
        "200, '<pre>at a.B.c(B.java:17)</pre>', aid=no-such-value is answered with status 200"
    })
    void anErrorThatIsKeptForAWrongArgumentIsFound(int status, String html, String by) {
        application
                .on(
                        "/tools",
                        request ->
                                request.target().endsWith("aid=4665")
                                        ? kept("<p>tools</p>")
                                        : request.target().contains("aid=")
                                                ? response(
                                                        status,
                                                        html,
                                                        "Surrogate-Control",
                                                        "max-age=30")
                                                : response(
                                                        400, "what?", "Cache-Control", "no-store"))
                .declares(withoutExample("/tools", "aid"));

        var findings = findings(detector().example("Paper#tools", "/tools?aid=4665"));

        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().cause()).isEqualTo(LeakCause.CACHED_ERROR);
        assertThat(findings.getFirst().target()).isEqualTo("/tools?aid=4665");
        assertThat(findings.getFirst().by()).isEqualTo(by);
    }

    @Test
    void aHandlerThatNobodyKnowsHowToAskForIsFoundNotForgotten() {
        application
                .fragment("/live", request -> "31%")
                .declares(handler("/live"), withoutExample("/tools", "oid", "aid"));

        var findings = findings(detector());

        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().text())
                .isEqualTo(
                        """
                        leak[NOT_ASKED]: Paper#tools could not be requested: no example value for oid and aid
                          --> Paper#tools (paper.Paper#tools)
                          fix: give an example: LeakDetector.example("Paper#tools", "/path?argument=…"), or the property quire.dev.samples[Paper#tools].ARGUMENT\
                        """);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    made at 10:15:COUNT               | TIMESTAMP
                    2026-11-22T10:15:30.COUNTZ        | TIMESTAMP
                    17638000000COUNT                  | TIMESTAMP
                    key 9f8aaCOUNT-b21d-11ee-be56     | RANDOM_ID
                    COUNT places counted              | UNSTABLE
                    """)
    void whatMovesByItselfIsNobodysButMustBeIgnoredOnPurpose(String text, LeakCause cause) {
        var count = new AtomicInteger(10);
        application
                .fragment(
                        "/live",
                        request ->
                                "<div><i class=\"moving\">"
                                        + text.replace("COUNT", "" + count.incrementAndGet() % 90)
                                        + "</i></div>")
                .declares(handler("/live"));

        var findings = findings(detector());

        assertThat(findings).extracting(LeakFinding::cause).containsExactly(cause);
        assertThat(findings.getFirst().place()).isEqualTo("div > i.moving (text)");
        assertThat(findings.getFirst().text()).contains("ignoring(\"div > i.moving\")");
        assertThat(detector().ignoring(".moving").allPublicFragments().findings()).isEmpty();
        assertThat(detector().ignoring("/live", "div > i.moving").allPublicFragments().findings())
                .isEmpty();
        assertThat(findings(detector().ignoring("/other", ".moving"))).hasSize(1);
    }

    @Test
    void aRandomIdIsKnownByItsAttribute() {
        var count = new AtomicInteger();
        application
                .fragment("/live", request -> "<p id=\"f" + count.incrementAndGet() + "\">x</p>")
                .declares(handler("/live"));

        assertThat(findings(detector()))
                .extracting(LeakFinding::cause)
                .containsExactly(LeakCause.RANDOM_ID);
    }

    @Test
    void aPersonIsFoundBesideWhatMoves() {
        var count = new AtomicInteger(10);
        application
                .fragment(
                        "/live",
                        request ->
                                "<p>10:15:%d</p><p>%s</p>"
                                        .formatted(
                                                count.incrementAndGet(),
                                                reader(request).isEmpty() ? "guest" : "member"))
                .declares(handler("/live"));

        var findings = findings(detector());

        assertThat(findings)
                .extracting(LeakFinding::cause)
                .containsExactly(LeakCause.TIMESTAMP, LeakCause.UNKNOWN);
        assertThat(findings.getLast().place()).isEqualTo("p:nth-child(2) (text)");
        assertThat(findings.getLast().by()).isEqualTo("the cookie SESSION");
    }

    @Test
    void ignoringHidesNoSecret() {
        application
                .fragment("/live", request -> "<i class=\"moving\">" + reader(request) + "</i>")
                .declares(handler("/live"));

        assertThat(findings(detector().ignoring(".moving")))
                .extracting(LeakFinding::cause)
                .containsExactly(LeakCause.USER_NAME);
    }

    @Test
    void whatIsKeptForSomeIsWhatOthersGet() {
        application
                .on(
                        "/live",
                        request ->
                                reader(request).isEmpty()
                                        ? kept("<p>Log in</p>")
                                        : response(200, "<p>in</p>", "Cache-Control", "private"))
                .declares(handler("/live"));

        var findings = findings(detector());

        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().cause()).isEqualTo(LeakCause.KEPT_FOR_SOME);
        assertThat(findings.getFirst().text())
                .contains(
                        "anonymous   | 200, Surrogate-Control: max-age=30",
                        "ann-of-oslo | 200, Cache-Control: private");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Accept-Encoding", "Authorization", "X-Region"})
    void noAlarmForAuthorizationWhereOthersCopiesAreTheSame(String vary) {
        application
                .on(
                        "/live",
                        request ->
                                response(
                                        200,
                                        "<p>" + request.field(vary) + "</p>",
                                        "Cache-Control",
                                        "max-age=30",
                                        "Vary",
                                        vary))
                .declares(handler("/live"));

        assertThat(
                        LeakDetector.check(application.site())
                                .users(AUTHORIZED.withField("X-Region", "north"), User.anonymous())
                                .allPublicFragments()
                                .findings())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"member", "cleo-of-moss"})
    void whatAuthorizationChangesIsFound(String shown) {
        application
                .on(
                        "/live",
                        request ->
                                response(
                                        200,
                                        "<p>%s</p>"
                                                .formatted(
                                                        request.field("Authorization") == null
                                                                ? "guest"
                                                                : shown),
                                        "Cache-Control",
                                        "max-age=30"))
                .declares(handler("/live"));

        var findings =
                findings(
                        LeakDetector.check(application.site()).users(AUTHORIZED, User.anonymous()));

        assertThat(findings)
                .extracting(LeakFinding::cause, LeakFinding::by, LeakFinding::sides)
                .containsExactly(
                        tuple(
                                LeakCause.HEADER_WITHOUT_VARY,
                                "Authorization",
                                Map.of("anonymous", "guest", "cleo-of-moss", shown)));
    }

    @Test
    void whatIsKeptDespiteAuthorizationIsForAll() {
        application
                .on(
                        "/live",
                        request ->
                                request.field("Authorization") == null
                                        ? response(401, "", "Cache-Control", "no-store")
                                        : response(
                                                200,
                                                "<p>cleo-of-moss</p>",
                                                "Cache-Control",
                                                "public, max-age=30"))
                .declares(handler("/live"));

        assertThat(
                        findings(
                                LeakDetector.check(application.site())
                                        .users(AUTHORIZED, User.anonymous())))
                .extracting(LeakFinding::cause)
                .containsExactly(LeakCause.USER_NAME, LeakCause.KEPT_FOR_SOME);
    }

    @Test
    void theReportNamesAuthorizationAsTheReasonWhyNothingIsKept() {
        application
                .on("/live", request -> response(200, "<p>31%</p>", "Cache-Control", "max-age=30"))
                .declares(handler("/live"));

        assertThat(
                        findings(
                                LeakDetector.check(application.site())
                                        .users(
                                                AUTHORIZED,
                                                User.user("dora-of-voss")
                                                        .withField("Authorization", "Basic ZA=="))))
                .extracting(LeakFinding::cause, LeakFinding::by)
                .containsExactly(
                        tuple(
                                LeakCause.NOT_SHARED,
                                "the request has Authorization, and the response does not say public"));
    }

    @Test
    void noAlarmWhereAllAreShownTheSame() {
        application
                .fragment("/live", request -> "<p>31%</p>")
                .fragment("/data", request -> "{\"counted\": 31}")
                .declares(handler("/live"), handler("/data"));

        var report = detector().allPublicFragments();

        assertThat(report.checked()).containsExactly("/live", "/data");
        assertThat(report.text())
                .isEqualTo(
                        "no findings in 2 public responses, requested by anonymous, ann-of-oslo, bob-of-bergen");
    }

    @Test
    void noAlarmWhereVaryNamesWhatDiffers() {
        application
                .on(
                        "/live",
                        request ->
                                kept(
                                        "<p>" + request.field("Accept-Language") + "</p>",
                                        "Vary",
                                        "Accept-Encoding, accept-language"))
                .declares(handler("/live"));

        assertThat(
                        LeakDetector.check(application.site())
                                .users(ANN.speaking("ko"), BOB.speaking("nb"))
                                .allPublicFragments()
                                .findings())
                .isEmpty();
    }

    @Test
    void whatDiffersBesideTheFieldThatVaryNamesIsFound() {
        application
                .on(
                        "/live",
                        request ->
                                kept(
                                        "<p>%s</p><p>%s</p>"
                                                .formatted(
                                                        request.field("Accept-Language"),
                                                        request.field("X-Region")),
                                        "Vary",
                                        "Accept-Language"))
                .declares(handler("/live"));

        var findings =
                findings(
                        LeakDetector.check(application.site())
                                .users(
                                        ANN.speaking("ko").withField("X-Region", "east"),
                                        BOB.speaking("nb").withField("X-Region", "west")));

        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().by()).isEqualTo("X-Region");
        assertThat(findings.getFirst().place()).isEqualTo("p:nth-child(2) (text)");
    }

    @Test
    void noAlarmForWhatIsPrivateButTheReportSaysThatItIsNotChecked() {
        application
                .fragment("/live", request -> "31%")
                .on(
                        "/me",
                        request ->
                                response(
                                        200,
                                        "hello " + reader(request),
                                        "Cache-Control",
                                        "private, no-store"));

        var report = detector().paths("/live", "/me");

        assertThat(report.checked()).containsExactly("/live");
        assertThat(report.text())
                .isEqualTo(
                        """
                        no findings in 1 public response, requested by anonymous, ann-of-oslo, bob-of-bergen

                        note: /me was not checked: its response is private: status 200, Cache-Control: private, no-store\
                        """);
    }

    @Test
    void whatIsDeclaredPublicAndPrivateForAllIsFound() {
        application
                .fragment("/live", request -> "31%")
                .on(
                        "/me",
                        request ->
                                response(
                                        200,
                                        "hello " + reader(request),
                                        "Cache-Control",
                                        "private, no-store",
                                        "X-Quire-Guard",
                                        "principal-read"))
                .declares(handler("/live"), handler("/me"));

        var findings = findings(detector());

        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().text())
                .isEqualTo(
                        """
                        leak[NOT_SHARED]: /me is declared public, but private for every reader: principal-read
                          --> Paper#me (paper.Paper#me)
                              anonymous     | 200, Cache-Control: private, no-store
                              ann-of-oslo   | 200, Cache-Control: private, no-store
                              bob-of-bergen | 200, Cache-Control: private, no-store
                          fix: if it belongs to one reader, declare @EsiFragment(scope = PRIVATE); if not, remove the cause: with quire.guard.debug=true the field X-Quire-Guard names it. A declared variant needs quire.variants.secret, in tests too\
                        """);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    404 | X-Any    | yes    | 404, Cache-Control: no-store
                    302 | Location | /login | 302 to /login, Cache-Control: no-store
                    503 | X-Any    | yes    | 503, Cache-Control: no-store
                    """)
    void aPathThatAnswersNobodyIsFoundWithTheLineThatNamesIt(
            int status, String field, String value, String seen) {
        application
                .fragment("/live", request -> "31%")
                .on(
                        "/typo",
                        request -> response(status, "", "Cache-Control", "no-store", field, value));

        var failure =
                catchThrowableOfType(LeaksFound.class, () -> detector().paths("/live", "/typo"));

        assertThat(failure)
                .hasMessage(
                        """
                        1 finding in 1 public response, requested by anonymous, ann-of-oslo, bob-of-bergen

                        leak[NO_ANSWER]: /typo gave no response to check: status %d
                           at paths("/typo")
                              anonymous     | %s
                              ann-of-oslo   | %s
                              bob-of-bergen | %s
                          fix: requested by paths("/typo"): check the path, its arguments, whether one of the users may see it, and the application's log. To allow a status: LeakDetector.keepingOnPurpose(404)\
                        """
                                .formatted(status, seen, seen, seen));
        assertThat(detector().keepingOnPurpose(status).paths("/live", "/typo").notes())
                .singleElement()
                .asString()
                .startsWith("/typo was not checked: ");
    }

    @Test
    void anExampleThatAnswersNobodyIsFoundWithTheLineThatGivesIt() {
        application
                .fragment("/live", request -> "31%")
                .declares(handler("/live"), handler("/gone"), withoutExample("/tools", "aid"));

        var findings = findings(detector().example("Paper#tools", "/tools?aid=1"));

        assertThat(findings)
                .extracting(LeakFinding::cause, LeakFinding::target, LeakFinding::place)
                .containsExactly(
                        tuple(
                                LeakCause.NO_ANSWER,
                                "/gone",
                                "the application's own example of Paper#gone"),
                        tuple(
                                LeakCause.NO_ANSWER,
                                "/tools?aid=1",
                                "example(\"Paper#tools\", \"/tools?aid=1\")"));
    }

    @Test
    void whatAnswersOneOfTheReadersIsNoMissingAnswer() {
        application
                .fragment("/live", request -> "31%")
                .on(
                        "/scraps",
                        request ->
                                reader(request).isEmpty()
                                        ? response(302, "", "Cache-Control", "no-store")
                                        : response(200, "x", "Cache-Control", "private"));

        assertThat(detector().paths("/live", "/scraps").checked()).containsExactly("/live");
    }

    @Test
    void theFieldContentLanguageAloneIsNoFinding() {
        application
                .on(
                        "/live",
                        request ->
                                kept(
                                        "<p>31%</p>",
                                        "Content-Language",
                                        String.valueOf(request.field("Accept-Language"))
                                                .substring(0, 2)))
                .declares(handler("/live"));

        var report =
                LeakDetector.check(application.site())
                        .users(ANN.speaking("ko"), BOB.speaking("nb"))
                        .allPublicFragments();

        assertThat(report.notes())
                .containsExactly(
                        "/live differs only in the field Content-Language, not in its body, so it can be shared. spring.web.locale-resolver=fixed makes the field the same for all");
    }

    @Test
    void noAlarmForVariantsAndAnAlarmInsideOfOne() {
        application
                .on(
                        "/tools",
                        request -> {
                            return kept(
                                    isMember(request) ? "<p>keep it</p>" : "<p>log in</p>",
                                    "Vary",
                                    "Esi-Variant");
                        })
                .on(
                        "/menu",
                        request -> kept("<p>" + reader(request) + "</p>", "Vary", "Esi-Variant"))
                .declares(handler("/tools", "login"));
        var site = application.site();
        var cleo = given(site, "cleo-of-moss");
        var dora = given(site, "dora-of-voss");

        var report = LeakDetector.check(site).users(User.anonymous(), cleo, dora).paths("/tools");

        assertThat(report.findings()).isEmpty();
        assertThat(
                        catchThrowableOfType(
                                        LeaksFound.class,
                                        () ->
                                                LeakDetector.check(site)
                                                        .users(User.anonymous(), cleo, dora)
                                                        .paths("/menu"))
                                .report()
                                .findings())
                .extracting(LeakFinding::cause)
                .containsOnly(LeakCause.USER_NAME);
    }

    @Test
    void eachVariantIsRequestedWithOtherFieldsAndArguments() {
        application
                .on(
                        "/tools",
                        request -> {
                            boolean isMember = isMember(request);
                            boolean isWrong = !request.target().endsWith("aid=1");
                            return response(
                                    isMember && isWrong ? 404 : 200,
                                    isMember && isGerman(request)
                                            ? "<p>behalten</p>"
                                            : "<p>keep it</p>",
                                    "Surrogate-Control",
                                    "max-age=30",
                                    "Vary",
                                    "Esi-Variant");
                        })
                .declares(handler("/tools", "login"));
        var site = application.site();
        var cleo = given(site, "cleo-of-moss");

        var failure =
                catchThrowableOfType(
                        LeaksFound.class,
                        () ->
                                LeakDetector.check(site)
                                        .users(User.anonymous(), cleo)
                                        .paths("/tools?aid=1"));

        assertThat(failure.report().findings())
                .extracting(LeakFinding::cause, LeakFinding::by, LeakFinding::users)
                .containsExactly(
                        tuple(
                                LeakCause.LOCALE_WITHOUT_VARY,
                                "Accept-Language",
                                List.of("cleo-of-moss")),
                        tuple(
                                LeakCause.CACHED_ERROR,
                                "aid=no-such-value is answered with status 404, no aid is answered with status 404",
                                List.of("cleo-of-moss")));
    }

    @Test
    void theVariantThatAnAnswerAssignsIsChecked() {
        application
                .on(
                        "/menu",
                        request -> {
                            if (reader(request).isEmpty() || isMember(request)) {
                                return kept(
                                        "<p>" + reader(request) + "</p>", "Vary", "Esi-Variant");
                            }
                            return response(
                                    200,
                                    "<p>" + reader(request) + "</p>",
                                    "Set-Cookie",
                                    "esi-variant=login:member.1795000000.mac; Path=/",
                                    "Cache-Control",
                                    "private, no-store");
                        })
                .declares(handler("/menu", "login"));

        assertThat(findings(detector()))
                .extracting(LeakFinding::cause, LeakFinding::by)
                .containsExactly(tuple(LeakCause.USER_NAME, "ann-of-oslo, bob-of-bergen"));
    }

    @Test
    void variantsThatNoUserGetsAreSaid() {
        application
                .on("/menu", request -> kept("<p>log in</p>", "Vary", "Esi-Variant"))
                .declares(handler("/menu", "login", "role"));

        assertThat(detector().allPublicFragments().notes())
                .containsExactly(
                        "/menu differs by login, role, but all users get the same variant, so the others were not checked (expected a user for each)");
    }

    @Test
    void anAnswerThatBreaksOffIsAFindingBesideTheOthers() {
        application
                .fragment("/live", request -> "hello " + reader(request))
                .on(
                        "/broken",
                        request -> {
                            throw new AssertionError("cannot connect");
                        })
                .declares(handler("/broken"), handler("/live"));

        assertThat(findings(detector()))
                .extracting(LeakFinding::cause)
                .containsExactly(LeakCause.NO_ANSWER, LeakCause.USER_NAME);
    }

    @Test
    void aLeakTakesTwo() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() ->
                        LeakDetector.check(application.site())
                                .users(User.anonymous())
                                .allPublicFragments())
                .withMessageContaining("expected at least two users to compare, found [anonymous]")
                .withMessageContaining("user(\"reader-a\").logsIn(");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> LeakDetector.check(application.site()).users(ANN, BOB, ANN))
                .withMessage(
                        "duplicate user name 'ann-of-oslo' (expected a different name for each user)");
    }

    @Test
    void aCheckWithoutALastCallFailsWhenTheSiteCloses() {
        application.fragment("/live", request -> "<p>31%</p>").declares(handler("/live"));
        var site = application.site();
        var checking = LeakDetector.check(site).users(User.anonymous(), ANN);
        LeakDetector.check(site).users(User.anonymous(), ANN).ignoring("time");

        checking.paths("/live");

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(site::close)
                .withMessageMatching(
                        "LeakDetector[.]check[(][.]{3}[)] at LeakDetectorTest[.]java:\\d+ has checked nothing [(]expected a last call: .*");
    }

    @Test
    void usersWhoSendTheSameRequestFailTheCheck() {
        application.fragment("/live", request -> "<p>31%</p>").declares(handler("/live"));
        var loginWithoutEffect = User.user("bo").logsIn(site -> site.ask("/live"));

        for (var like : List.of(User.user("anna"), loginWithoutEffect)) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() ->
                            LeakDetector.check(application.site())
                                    .users(ANN, User.anonymous(), like)
                                    .paths("/live"))
                    .withMessage(
                            "%s sends the same request as anonymous, so a leak between them cannot show (expected a login, a cookie or a field: user(\"%1$s\").logsIn(\"/login\", \"password\"))",
                            like.name());
        }
    }

    @Test
    void thePartsOfAPageAreThoseThatEachUserIsShown() {
        application
                .on(
                        "/home",
                        request ->
                                response(
                                        200,
                                        "<html><esi:include src=\"/live\"/>"
                                                + (reader(request).isEmpty()
                                                        ? ""
                                                        : "<esi:include src=\"/menu\"/>")
                                                + "</html>",
                                        "Surrogate-Control",
                                        "max-age=30, content=\"ESI/1.0\"",
                                        "Vary",
                                        "Cookie"))
                .fragment("/live", request -> "<p>31%</p>")
                .fragment("/menu", request -> "<p>for " + reader(request) + "</p>");
        try (var site = EsiSite.over(application)) {
            var detector = LeakDetector.check(site).users(User.anonymous(), ANN, BOB);

            var failure =
                    catchThrowableOfType(LeaksFound.class, () -> detector.fragmentsOf("/home"));

            assertThat(failure.report().checked()).containsExactly("/home", "/live", "/menu");
            assertThat(failure.report().findings())
                    .extracting(LeakFinding::target, LeakFinding::cause)
                    .containsExactly(tuple("/menu", LeakCause.USER_NAME));
        }
    }

    @Test
    void aNameThatIsTooShortToLookForIsSaid() {
        application.fragment("/live", request -> "<p>31%</p>").declares(handler("/live"));

        assertThat(
                        LeakDetector.check(application.site())
                                .users(User.anonymous(), member("al"))
                                .allPublicFragments()
                                .notes())
                .containsExactly(
                        "'al' of al is too short to search for (expected at least 3 characters, and a word that no page contains by chance)");
    }

    @Test
    void aPageBehindALoginThatIsKeptForAllIsFound() {
        application
                .on(
                        "/members",
                        request ->
                                reader(request).isEmpty()
                                        ? response(
                                                302,
                                                "",
                                                "Location",
                                                "/login",
                                                "Cache-Control",
                                                "no-store")
                                        : kept("<p>for members</p>"))
                .declares(handler("/members"));

        assertThat(findings(detector()))
                .extracting(LeakFinding::cause)
                .containsExactly(LeakCause.KEPT_FOR_SOME);
    }

    @Test
    void aCheckOfNothingFails() {
        application.on("/me", request -> response(200, "x", "Cache-Control", "private"));

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> detector().paths("/me"))
                .withMessage(
                        """
                        nothing was checked: every response is private
                        /me was not checked: its response is private: status 200, Cache-Control: private
                        expected at least one public response: name other paths, or find out why these are private\
                        """);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> detector().allPublicFragments())
                .withMessageContaining("are unknown (name paths");
    }

    @Test
    void whatTheTestSaysWrongIsSaidToTheTest() {
        application.fragment("/live", request -> "x").declares(handler("/live"));

        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> detector().ignoring("p["))
                .withMessageStartingWith("ignoring(\"p[\"): no selector");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> detector().example("Paper#live", "live"))
                .withMessageContaining("expected a path");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> detector().example("Paper#lve", "/live").allPublicFragments())
                .withMessage(
                        "example(\"Paper#lve\", ...) names no public handler (expected one of [Paper#live])");
        assertThat(detector().ignoring(".no-such").allPublicFragments().notes())
                .containsExactly(
                        "ignoring(\".no-such\") selects nothing: remove it, or correct the selector");
    }

    private static boolean isGerman(Request request) {
        return String.valueOf(request.field("Accept-Language")).startsWith("de");
    }

    private static boolean isMember(Request request) {
        return "login:member".equals(request.field("Esi-Variant"));
    }

    private LeakDetector detector() {
        return LeakDetector.check(application.site()).users(User.anonymous(), ANN, BOB);
    }

    private static LeaksFound failure(LeakDetector detector) {
        var failure = catchThrowableOfType(LeaksFound.class, detector::allPublicFragments);
        assertThat(failure).as("leaks found").isNotNull();
        return failure;
    }

    private static List<LeakFinding> findings(LeakDetector detector) {
        return failure(detector).report().findings();
    }

    private static User member(String name) {
        return new User(
                name, Fields.of("Cookie", "SESSION=" + name), User.Login.NONE, Set.of(name));
    }

    /** A user for whom {@code site} has stored a membership cookie. */
    private User given(EsiSite site, String name) {
        application.on(
                "/in",
                request ->
                        response(
                                200,
                                "in",
                                "Set-Cookie",
                                "esi-variant=login:member.1795000000.mac",
                                "Cache-Control",
                                "no-store"));
        var user = member(name);
        site.as(user).get("/in");
        return user;
    }

    private static FragmentHandler withoutExample(String path, String... missing) {
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
                List.of(missing));
    }
}
