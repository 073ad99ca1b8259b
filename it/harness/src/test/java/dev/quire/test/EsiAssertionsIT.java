package dev.quire.test;

import static dev.quire.test.EsiAssertions.assertThat;
import static dev.quire.test.PageAssertTest.fails;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.http.Fields;
import dev.quire.test.internal.Assembled;
import dev.quire.test.internal.Surrogate;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.TestClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The same assertions with each assembler. */
class EsiAssertionsIT {
    private static final User ANNA = reader("anna-mueller");
    private static final User BERT = reader("bert-maier");

    private final SmallNews news = new SmallNews();
    private final EsiSite site = EsiSite.over(news);

    private static List<Named<Assembling>> assemblers() {
        return List.of(
                Named.of("proxy", Assembling.PROXY),
                Named.of("proxy between sockets", Assembling.proxy(setup -> setup)));
    }

    private static User reader(String name) {
        return User.user(name).withField("X-Reader", name);
    }

    @AfterEach
    void end() {
        site.close();
    }

    @ParameterizedTest
    @MethodSource("assemblers")
    void pageSaysWhatItIsMadeOf(Assembling how) {
        var page = site.assembledBy(how).as(ANNA).get("/home");

        assertThat(page)
                .hasStatus(200)
                .hasText("h1", "Election night")
                .hasText("#live p", "CDU 42 %")
                .hasFragments("/live", "/map", "/me")
                .hasNoEsiMarkup()
                .hasNoUnresolvedIncludes()
                .isPrivate()
                .document()
                .isPublic()
                .ttl("120s")
                .hasExactlyTags("front")
                .wasMiss();
        assertThat(page)
                .fragment("/live")
                .isPublic()
                .ttl("30s")
                .stale("60s")
                .staleIfError("600s")
                .hasTags("election", "region-11")
                .wasMiss()
                .setsNoCookies()
                .isInside("/home")
                .contains("42 %")
                .and()
                .fragment("/me")
                .isPrivate()
                .wasPassed()
                .contains("anna-mueller")
                .and()
                .trace()
                .madeRequestsOnly("/home", "/live", "/map", "/me")
                .hasDepth(1);
        assertThat(site.as(BERT).get("/home"))
                .fragment("/live")
                .wasHit()
                .and()
                .trace()
                .madeRequestsOnly("/me");
    }

    @ParameterizedTest
    @MethodSource("assemblers")
    void fragmentsAreFetchedSideBySide(Assembling how) {
        var slow =
                Faults.none()
                        .slow("/live", Duration.ofMillis(60))
                        .slow("/map", Duration.ofMillis(60));

        var page = site.assembledBy(how).with(slow).get("/home");

        assertThat(page).trace().ranInParallel("/live", "/map");
    }

    @ParameterizedTest
    @MethodSource("assemblers")
    void brokenFragmentIsReplacedAndTheRestStands(Assembling how) {
        var broken = Faults.none().fail("/map", 503);

        var page = site.assembledBy(how).with(broken).get("/home");

        assertThat(page)
                .degrades()
                .keepsStatus(200)
                .showsFallback("/map")
                .showsFallback("/map", "no map tonight")
                .showsEverythingBut("/map")
                .showsNoErrorBody();
        assertThat(page).hasNoUnresolvedIncludes().fragment("/map").failedWith(503);
    }

    @Test
    void staleFragmentWithinItsGraceIsNoDegradation() {
        site.get("/home");
        site.clock().advance(Duration.ofSeconds(31));

        var page = site.get("/home");

        assertThat(page).fragment("/live").wasStale();
        fails(() -> assertThat(page).degrades(), "seen:     no failure");
    }

    @ParameterizedTest
    @MethodSource("assemblers")
    void fragmentThatBreaksOffLeavesNothingBehind(Assembling how) {
        var page = site.assembledBy(how).with(Faults.none().truncate("/map", 12)).get("/home");

        assertThat(page).degrades().showsFallback("/map").showsNoErrorBody();
    }

    @ParameterizedTest
    @MethodSource("assemblers")
    void staleCopyStandsInForAnError(Assembling how) {
        site.assembledBy(how).get("/home");
        site.clock().advance(Duration.ofSeconds(100));

        var page = site.with(Faults.none().fail("/live", 503)).get("/home");

        assertThat(page)
                .fragment("/live")
                .wasStale()
                .and()
                .degrades()
                .showsFallback("/live")
                .showsFallback("/live", "CDU 42 %");
    }

    @ParameterizedTest
    @MethodSource("assemblers")
    void invalidationReachesWhatBearsTheTag(Assembling how) {
        site.assembledBy(how).get("/home");

        assertThat(site).afterInvalidating("region-11").refetchesOnly("/live");
        assertThat(site).afterInvalidating("election").refetchesOnly("/map", "/live");
        assertThat(site).afterInvalidating("front").onPage("/home").refetchesOnly("/home");
        assertThat(site).afterInvalidating("unknown").refetchesNothing();
        assertThat(site).afterPurging("/map").refetchesOnly("/map");
        fails(
                () -> assertThat(site).afterInvalidating("region-11").refetchesOnly("/map"),
                "expected invalidating region-11 to refetch /map only",
                "expected: /map",
                "seen:     /live",
                "missing: /map, which has the tags election, map, so the invalidation does not reach it",
                "unexpected: /live, which has the tags election, region-11, so the invalidation reaches it",
                "next: checked on /home; an invalidation reaches the responses with its tag");
        fails(
                () -> assertThat(site).afterInvalidating("front").refetchesOnly("/home", "/me"),
                "missing: /me, which is never stored, so it is always fetched");
        fails(
                () -> assertThat(site).afterPurging("/live").refetchesOnly("/live", "/nowhere"),
                "missing: /nowhere, which is not part of these pages");
    }

    @ParameterizedTest
    @MethodSource("assemblers")
    void lifetimesAreTravelledThrough(Assembling how) {
        site.assembledBy(how);

        assertThat(site).keeps("/live").freshFor("30s").thenServesStaleFor("60s");
        assertThat(site).keeps("/live").onPage("/home").freshFor("30s").thenServesStaleFor("60s");
        assertThat(site).keeps("/map").freshFor("5m").thenServesStaleFor("0s");
        assertThat(site).keeps("/live").freshFor("30s").thenStandsInForErrorsFor("600s");
        assertThat(site)
                .keeps("/live")
                .onPage("/home")
                .freshFor("30s")
                .thenStandsInForErrorsFor("10m");
        assertThat(site).keeps("/map").freshFor("5m").thenStandsInForErrorsFor("0s");
        fails(
                () -> assertThat(site).keeps("/live").freshFor("31s"),
                "expected /live to be fresh for 31s",
                "already fetched again at 30.999s",
                "max-age=30, stale-while-revalidate=60");
        fails(
                () -> assertThat(site).keeps("/live").freshFor("29s"),
                "fetched again at 29s after it was fetched",
                "still served from the cache: /live HIT");
        fails(
                () -> assertThat(site).keeps("/live").freshFor("30s").thenServesStaleFor("10s"),
                "expected /live to be served stale for 10s after its lifetime of 30s",
                "served stale 40s after it was fetched");
        fails(
                () -> assertThat(site).keeps("/map").freshFor("300s").thenServesStaleFor("10s"),
                "/map MISS at 309.999s");
        fails(
                () ->
                        assertThat(site)
                                .keeps("/live")
                                .freshFor("30s")
                                .thenStandsInForErrorsFor("1h"),
                "expected /live to be served stale on errors for 1h after its lifetime of 30s",
                "seen:     /live",
                "at 3629.999s");
        fails(
                () ->
                        assertThat(site)
                                .keeps("/live")
                                .freshFor("30s")
                                .thenStandsInForErrorsFor("90s"),
                "the error, and nothing stale, from 120s on",
                "/live STALE at 120s");
        fails(
                () -> assertThat(site).keeps("/me").freshFor("30s"),
                "already fetched again at 29.999s",
                "not stored: Cache-Control says private");
    }

    @ParameterizedTest
    @MethodSource("assemblers")
    void stampedeIsAnsweredByOneRequest(Assembling how) {
        site.assembledBy(how);

        assertThat(site)
                .answersStampedeOf(20, "/live")
                .withRequests("/live", 1)
                .withRequestsOnly("/live")
                .withStatus(200);
        fails(
                () -> assertThat(site).answersStampedeOf(3, "/live").withRequests("/live", 1),
                "expected 3 readers of /live to request /live from the application once",
                "seen:     not at all",
                "was it already stored?");
        fails(
                () -> assertThat(site).answersStampedeOf(3, "/home").withRequestsOnly("/home"),
                "missing: nothing; unexpected: ");
        fails(
                () -> assertThat(site).answersStampedeOf(2, "/nowhere").withStatus(200),
                "seen:     404 2 times");
    }

    @ParameterizedTest
    @MethodSource("assemblers")
    void readersGetTheirOwn(Assembling how) {
        site.assembledBy(how);

        assertThat(site).showsTheSame("/live", ANNA, BERT).keepsApart("/home", ANNA, BERT);
        fails(
                () -> assertThat(site).showsTheSame("/home", ANNA, BERT),
                "expected /home to be the same for anna-mueller and bert-maier",
                "\"Hello anna-mueller\" as for anna-mueller",
                "\"Hello bert-maier\" for bert-maier",
                "the text of html > body > header > b");
    }

    @Test
    void proxyThatMixesReadersIsSeen() {
        site.assembledBy(broken(new Mixing()));

        fails(
                () -> assertThat(site).keepsApart("/home", ANNA, BERT),
                "expected /home to show bert-maier no data of anna-mueller",
                "the first response for bert-maier contains \"anna-mueller\"",
                "in /me PASS");
    }

    @Test
    void proxyThatIgnoresPurgesIsSeen() {
        site.assembledBy(
                broken(
                        new Breakage() {
                            @Override
                            public boolean purges() {
                                return false;
                            }
                        }));
        site.get("/home");

        fails(
                () -> assertThat(site).afterInvalidating("region-11").refetchesOnly("/live"),
                "seen:     nothing",
                "missing: /live, which has the tags election, region-11, so the invalidation reaches it");
        fails(
                () -> assertThat(site).keeps("/live").freshFor("30s"),
                "expected /live to be fetched once after a purge",
                "was its stored response really purged?");
    }

    @Test
    void proxyWhoseTimeStandsStillIsSeen() {
        site.assembledBy((application, clock) ->
                Assembling.PROXY.start(application, TestClock.handSetBeforeRealServers()));

        fails(
                () -> assertThat(site).keeps("/live").freshFor("30s"),
                "fetched again at 30s after it was fetched",
                "still served from the cache");
    }

    @Test
    void proxyThatFetchesTwiceIsSeen() {
        site.assembledBy(
                broken(
                        new Breakage() {
                            @Override
                            public Assembled ask(
                                    Surrogate surrogate, Application application, Request request) {
                                application.answer(request);
                                return surrogate.ask(request);
                            }
                        }));

        fails(
                () -> assertThat(site.get("/live")).trace().madeRequests("/live", 1),
                "seen:     2 times",
                "fetched twice");
        fails(
                () -> assertThat(site).answersStampedeOf(5, "/map").withRequests("/map", 1),
                "seen:     6 times");
    }

    @Test
    void proxyThatKeepsButFetchesForEachReaderIsSeen() {
        site.assembledBy(broken(new Alone()));

        site.get("/map");
        assertThat(site.get("/map")).trace().madeRequests("/map", 0);
        fails(
                () -> assertThat(site).answersStampedeOf(20, "/live").withRequests("/live", 1),
                "expected 20 readers of /live to request /live from the application once",
                "seen:     20 times");
    }

    @Test
    void readersWhoAskForThemselvesAreHeldForNobody() {
        assertThat(site)
                .answersStampedeOf(20, "/home")
                .withRequests("/home", 1)
                .withRequests("/live", 1)
                .withRequests("/map", 1)
                .withRequests("/me", 20);
    }

    @Test
    void siteThatKeepsNothingSaysWhichLineToChange() {
        site.assembledBy(Assembling.APPLICATION);

        fails(
                () -> assertThat(site).afterInvalidating("election"),
                "refetching after an invalidation cannot be checked",
                "assembledBy(Assembling.PROXY)");
        fails(() -> assertThat(site).keeps("/live"), "the lifetime of /live cannot be checked");
        fails(() -> assertThat(site).afterPurging("/live"), "cannot be checked");
    }

    @Test
    void errorsOfTheTestSayWhatToWrite() {
        fails(
                () -> assertThat(site).afterInvalidating("election").refetchesOnly("/live"),
                "no page was requested",
                ".onPage(\"/home\")");
        fails(() -> assertThat(site).afterInvalidating(), "no tag to invalidate");
        fails(() -> assertThat(site).afterPurging(), "nothing to purge");
        fails(
                () -> assertThat(site).keeps("/live").thenServesStaleFor("60s"),
                "freshFor(...) is missing");
        fails(
                () -> assertThat(site).keeps("/live").freshFor("200ms"),
                "is not a whole number of seconds");
        fails(() -> assertThat(site).keepsApart("/home", ANNA), "expected at least two readers");
        fails(() -> assertThat(site).showsTheSame("/home", ANNA), "showsTheSame(\"/home\"");
        fails(
                () -> assertThat(site).keepsApart("/home", ANNA),
                "keepsApart(\"/home\", user(\"reader-a\").logsIn(...), user(\"reader-b\").logsIn(...))");
    }

    @Test
    void readersOfWhomNothingCouldBeFoundAreNoProof() {
        var curt = reader("al");
        var twin = reader("bert-maier").withSecret("other-secret");
        var sharing = reader("bob").withSecret("anna-mueller");

        for (var nothing : List.of(curt, sharing)) {
            fails(
                    () -> assertThat(site).keepsApart("/home", nothing, ANNA),
                    nothing + " has no secret to search for in other pages",
                    "at least 4 characters",
                    ".withSecret(\"reader-a@example.org\")");
        }
        fails(
                () -> assertThat(site).keepsApart("/home", BERT, twin),
                "duplicate user name bert-maier",
                "user(\"reader-a\"), user(\"reader-b\")");
        assertThat(site)
                .keepsApart("/home", curt.withSecret("al@example.org"), ANNA)
                .keepsApart("/home", ANNA, User.anonymous());
    }

    @Test
    void errorPagesSayNothingOfReaders() {
        fails(
                () -> assertThat(site).keepsApart("/nowhere", ANNA, BERT),
                "expected /nowhere to answer anna-mueller with a page",
                "a status of 2xx",
                "seen:     404, ",
                "change the path in keepsApart(\"/nowhere\", ...) at EsiAssertionsIT.java:");
        fails(
                () -> assertThat(site).showsTheSame("/nowhere", ANNA, BERT),
                "seen:     404, ",
                "change the path in showsTheSame(\"/nowhere\", ...) at EsiAssertionsIT.java:");
        fails(
                () ->
                        assertThat(site.with(Faults.none().fail("/live", 503)))
                                .showsTheSame("/live", ANNA, BERT),
                "seen:     503, ");
    }

    @Test
    void readersWhoSendTheSameRequestAreNoProof() {
        var anna = User.user("anna-mueller");
        var bert = User.user("bert-maier");

        fails(
                () -> assertThat(site).keepsApart("/live", anna, bert),
                "bert-maier sends the same request as anna-mueller",
                "expected a login, a cookie or a field");
        fails(
                () -> assertThat(site).showsTheSame("/live", User.anonymous(), bert),
                "bert-maier sends the same request as anonymous");
    }

    @Test
    void escapedSecretsAreFound() {
        var brien = reader("O'Brien");
        var mueller = reader("Anna Müller");
        var answers =
                new InMemoryApplication()
                        .on("/text", InMemoryApplication.privately("<b>O&#39;Brien</b>"))
                        .on("/title", InMemoryApplication.privately("<b title='O&apos;Brien'>"))
                        .on("/link", InMemoryApplication.privately("<a href='/of/O%27Brien'>"))
                        .on("/next", InMemoryApplication.privately("<a href='/?to=%2FO%27Brien'>"))
                        .on(
                                "/json",
                                InMemoryApplication.privately(
                                        "<script>'\\nO\\u0027Brien' + '\\u003eO%27Brien'</script>"))
                        .on(
                                "/path",
                                InMemoryApplication.privately("<a href='/of/Anna%20M%c3%bcller'>"));
        try (var desk = EsiSite.over(answers)) {
            fails(
                    () -> assertThat(desk).keepsApart("/path", BERT, mueller),
                    "contains \"Anna Müller\"");
            for (var path : List.of("/text", "/title", "/link", "/next", "/json")) {
                fails(
                        () -> assertThat(desk).keepsApart(path, ANNA, brien),
                        "expected %s to show anna-mueller no data of O'Brien".formatted(path),
                        "the first response for anna-mueller contains \"O'Brien\"");
            }
            fails(() -> assertThat(desk).keepsApart("/text", ANNA, brien), "in /text PASS");
        }
    }

    @Test
    void secretsInsideOtherWordsAreNone() {
        var answers =
                new InMemoryApplication()
                        .on("/desk", InMemoryApplication.privately("<b>Joanna, annabel</b>"));
        try (var desk = EsiSite.over(answers)) {
            assertThat(desk).keepsApart("/desk", BERT, reader("anna"));
        }
    }

    @Test
    void pagesAreReadInTheirCharset() {
        var mueller = User.user("Anna Müller").withField("X-Reader", "1");
        var answers =
                new InMemoryApplication()
                        .on(
                                "/desk",
                                request ->
                                        new Reply.Whole(
                                                Response.of(
                                                        200,
                                                        Fields.of(
                                                                "Content-Type",
                                                                "text/html; charset=\"ISO-8859-1\"",
                                                                "Cache-Control",
                                                                "private"),
                                                        Content.of(
                                                                "<b>Anna Müller</b>"
                                                                        .getBytes(ISO_8859_1)))));
        try (var desk = EsiSite.over(answers)) {
            assertThat(desk.get("/desk")).hasText("b", "Anna Müller");
            fails(
                    () -> assertThat(desk).keepsApart("/desk", BERT, mueller),
                    "the first response for bert-maier contains \"Anna Müller\"",
                    "in /desk PASS");
        }
    }

    @Test
    void redirectsSayNothingOfReaders() {
        var answers = new InMemoryApplication();
        answers.on(
                "/desk",
                request ->
                        "bert-maier".equals(request.field("X-Reader"))
                                ? InMemoryApplication.privately("<h1>Desk</h1>")
                                : InMemoryApplication.reply(
                                        302,
                                        "",
                                        "Location",
                                        "/login",
                                        "Cache-Control",
                                        "private, no-store"));
        try (var desk = EsiSite.over(answers)) {
            fails(
                    () -> assertThat(desk).keepsApart("/desk", BERT, ANNA),
                    "expected /desk to answer anna-mueller with a page",
                    "seen:     302 to /login",
                    "a redirect does not show whether readers are kept apart",
                    "let anna-mueller in: user.logsIn(...)");
            fails(
                    () -> assertThat(desk).showsTheSame("/desk", ANNA, reader("carl-weber")),
                    "seen:     302 to /login");
        }
    }

    /** A defect of a surrogate. */
    private interface Breakage {
        default Assembled ask(Surrogate surrogate, Application application, Request request) {
            return surrogate.ask(request);
        }

        default boolean purges() {
            return true;
        }
    }

    /** Every reader gets the response of the first one. */
    private static final class Mixing implements Breakage {
        private @Nullable Assembled first;

        @Override
        public synchronized Assembled ask(
                Surrogate surrogate, Application application, Request request) {
            var same = first == null ? surrogate.ask(request) : first;
            first = same;
            return same;
        }
    }

    /** Serves stored responses, but fetches once for each reader on a miss. */
    private static final class Alone implements Breakage {
        private final Map<String, Response> kept = new ConcurrentHashMap<>();

        @Override
        public Assembled ask(Surrogate surrogate, Application application, Request request) {
            var stored = kept.get(request.target());
            if (stored == null
                    && application.answer(request) instanceof Reply.Whole(var response)) {
                kept.put(request.target(), response);
                stored = response;
            }
            return new Assembled(Objects.requireNonNull(stored, "it answers"), Optional.empty());
        }
    }

    private static Assembling broken(Breakage how) {
        return (application, clock) -> {
            var whole = Assembling.PROXY.start(application, clock);
            return new Surrogate() {
                @Override
                public Assembled ask(Request request) {
                    return how.ask(whole, application, request);
                }

                @Override
                public void purgeTags(String... tags) {
                    if (how.purges()) {
                        whole.purgeTags(tags);
                    }
                }

                @Override
                public void purge(String... targets) {
                    if (how.purges()) {
                        whole.purge(targets);
                    }
                }

                @Override
                public String name() {
                    return whole.name();
                }

                @Override
                public boolean hasCache() {
                    return true;
                }

                @Override
                public void close() {
                    whole.close();
                }
            };
        };
    }
}
