package dev.quire.test;

import static dev.quire.test.InMemoryApplication.fragment;
import static dev.quire.test.InMemoryApplication.include;
import static dev.quire.test.InMemoryApplication.page;
import static dev.quire.test.InMemoryApplication.privately;
import static dev.quire.test.InMemoryApplication.reply;
import static dev.quire.test.InMemoryApplication.response;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.quire.core.http.Fields;
import dev.quire.core.http.Stamp;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.SurrogateCapability;
import dev.quire.test.Part.Outcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MemorySurrogateTest {
    private final HandSetClock clock = TestClock.handSet();
    private final InMemoryApplication application = new InMemoryApplication();
    private final Surrogate surrogate = new MemorySurrogate(application, clock);

    @Test
    void pageAndEachFragmentLiveByTheirOwnClocks() {
        application.on("/page", page(include("/live") + include("/footer")));
        application.on("/live", fragment("max-age=3+0", "live "));
        application.on("/footer", fragment("max-age=600+0", "footer"));
        get("/page");

        application.forget();
        clock.advance(Duration.ofSeconds(4));
        assertThat(get("/page").response().text()).isEqualTo("live footer");
        assertThat(application.targets()).containsExactly("/live");

        application.forget();
        clock.advance(Duration.ofSeconds(57));
        assertThat(get("/page").response().text()).isEqualTo("live footer");
        assertThat(application.targets()).containsExactly("/page", "/live");
    }

    @Test
    void partsTellHowThePageWasMade() {
        application.on("/page", page(include("/live") + include("/me") + include("/gone")));
        application.on("/live", fragment("max-age=3+0", "live"));
        application.on("/me", privately("me"));
        get("/page");

        var parts = parts(get("/page"));

        assertThat(parts)
                .extracting(Part::target, Part::parent, Part::depth, Part::outcome, Part::status)
                .containsExactly(
                        tuple("/page", null, 0, Outcome.HIT, 200),
                        tuple("/live", "/page", 1, Outcome.HIT, 200),
                        tuple("/me", "/page", 1, Outcome.PASS, 200),
                        tuple("/gone", "/page", 1, Outcome.FAILED, 404));
        assertThat(parts.get(1).body()).isEqualTo(content("live"));
        assertThat(parts.get(1).freshness().map(Freshness::lifetime))
                .contains(Duration.ofSeconds(3));
        assertThat(parts.get(2).freshness()).isEmpty();
        assertThat(parts.get(3).error()).contains("/gone gave 404");
    }

    @Test
    void bodyOfAPartIsWhatTheApplicationSentTagsAndAll() {
        var document = "<p>" + include("/live") + "</p>";
        application.on("/page", page(document));
        application.on("/live", fragment("max-age=3+0", "live"));

        assertThat(parts(get("/page")).getFirst().body()).isEqualTo(content(document));
        assertThat(parts(get("/page")).getFirst().body()).isEqualTo(content(document));
    }

    @Test
    void fragmentsAreFetchedSideBySide() {
        var both = new CyclicBarrier(2);
        application.on("/page", page(include("/one") + include("/two")));
        for (var target : List.of("/one", "/two")) {
            application.on(
                    target,
                    request -> {
                        await(both);
                        return fragment("max-age=3+0", target);
                    });
        }

        var assembled = get("/page");

        assertThat(assembled.response().text()).isEqualTo("/one/two");
        assertThat(parts(assembled).get(2).from()).isLessThan(parts(assembled).get(1).to());
    }

    @Test
    void everyRequestBearsAStampOfItsOwn() {
        application.on("/page", page(include("/me") + include("/me2")));
        get("/page");
        application.on("/page", privately("mine"));
        get("/other");

        var stamps = new ArrayList<Stamp>();
        for (var target : List.of("/page", "/me", "/me2", "/other")) {
            application
                    .requests(target)
                    .forEach(request ->
                            stamps.add(SurrogateCapability.stamp(request.fields()).orElseThrow()));
        }

        assertThat(stamps).hasSize(4).doesNotHaveDuplicates();
    }

    @Test
    void onlyTagsThatBearTheStampRun() {
        application.on(
                "/page",
                request -> {
                    var stamp = SurrogateCapability.stamp(request.fields()).orElseThrow().text();
                    return reply(
                            200,
                            "<esi:" + stamp + ":include src=\"/part\"/>" + include("/part"),
                            "Surrogate-Control",
                            "max-age=60, content=\"ESI/1.0\", stamp=\"" + stamp + "\"");
                });
        application.on("/part", fragment("max-age=60", "part"));

        var first = get("/page").response().text();
        var second = get("/page").response().text();

        assertThat(first).isEqualTo("part" + include("/part"));
        assertThat(second).isEqualTo(first);
        assertThat(application.requests("/page")).hasSize(1);
    }

    @Test
    void applicationIsToldWhatTheProxyTellsIt() {
        application.on("/page", page(include("/part")));
        application.on("/part", fragment("max-age=60", "part"));

        get(
                "/page",
                "Cookie",
                "a=1",
                "Accept-Encoding",
                "gzip",
                "If-None-Match",
                "\"x\"",
                "X-ESI-Level",
                "9",
                "Esi-Variant",
                "login:root",
                "Surrogate-Capability",
                "mine=\"ESI/1.0\"");

        var request = application.requests("/page").getFirst();
        assertThat(request.field("Host")).isEqualTo(InMemoryApplication.AUTHORITY);
        assertThat(request.field("Cookie")).isEqualTo("a=1");
        assertThat(request.field("Via")).isEqualTo("1.1 quire");
        assertThat(request.field("X-Forwarded-For")).isEqualTo("127.0.0.1");
        assertThat(request.field("X-Forwarded-Proto")).isEqualTo("http");
        assertThat(request.field("X-Forwarded-Host")).isEqualTo(InMemoryApplication.AUTHORITY);
        assertThat(request.fields().all("Surrogate-Capability"))
                .singleElement()
                .asString()
                .startsWith("quire=\"Surrogate/1.0 ESI/1.0 Stamp/1.");
        for (var absent :
                List.of("Accept-Encoding", "If-None-Match", "X-ESI-Level", "Esi-Variant")) {
            assertThat(request.field(absent)).as(absent).isNull();
        }
        var part = application.requests("/part").getFirst();
        assertThat(part.field("X-ESI-Level")).isEqualTo("1");
        assertThat(part.field("X-ESI-Parent")).isEqualTo("http://news.test/page");
        assertThat(part.field("Cookie")).isEqualTo("a=1");
    }

    @Test
    void readerSeesNothingOfWhatIsSaidToSurrogates() {
        application.on(
                "/x",
                fragment(
                        "max-age=60", "x", "Surrogate-Key", "a b", "Vary", "Surrogate-Capability"));

        for (var response : List.of(get("/x").response(), get("/x").response())) {
            assertThat(response.field("Surrogate-Control")).isNull();
            assertThat(response.field("Surrogate-Key")).isNull();
            assertThat(response.field("Vary")).isNull();
            assertThat(response.text()).isEqualTo("x");
        }
        assertThat(application.targets()).hasSize(1);
    }

    @Test
    void staleInItsGraceIsServedAndRefreshedBeforeTheAnswerIsThere() {
        application.on("/x", fragment("max-age=10+30", "1"), fragment("max-age=10+30", "2"));
        get("/x");

        clock.advance(Duration.ofSeconds(15));
        var stale = get("/x");

        assertThat(stale.response().text()).isEqualTo("1");
        assertThat(outcomes(stale)).containsExactly(Outcome.STALE);
        assertThat(application.targets()).hasSize(2);
        assertThat(get("/x").response().text()).isEqualTo("2");
        assertThat(application.targets()).hasSize(2);
    }

    @Test
    void refreshThatFailsIsNotTriedAgainAtOnce() {
        application.on("/x", fragment("max-age=10+300", "1"), reply(503, "down"));
        get("/x");
        clock.advance(Duration.ofSeconds(15));

        get("/x");
        get("/x");
        assertThat(application.targets()).hasSize(2);

        clock.advance(Duration.ofSeconds(1));
        assertThat(get("/x").response().text()).isEqualTo("1");
        assertThat(application.targets()).hasSize(3);
    }

    @Test
    void staleWithAValidatorIsAskedAboutAndKeptIfItHolds() {
        application.on(
                "/x",
                request ->
                        "\"1\"".equals(request.field("If-None-Match"))
                                ? reply(
                                        304,
                                        "",
                                        "ETag",
                                        "\"1\"",
                                        "Surrogate-Control",
                                        "max-age=10+0")
                                : fragment("max-age=10+0", "x", "ETag", "\"1\""));
        get("/x");
        clock.advance(Duration.ofSeconds(11));

        var renewed = get("/x");

        assertThat(renewed.response().text()).isEqualTo("x");
        assertThat(outcomes(renewed)).containsExactly(Outcome.REVALIDATED);
        assertThat(outcomes(get("/x"))).containsExactly(Outcome.HIT);
        assertThat(application.targets()).hasSize(2);
    }

    @Test
    void notModifiedThatSpeaksOfAnotherIsAskedAboutAgain() {
        application.on(
                "/x",
                request ->
                        request.field("If-None-Match") != null
                                ? reply(304, "", "ETag", "\"other\"")
                                : fragment("max-age=10+0", "x", "ETag", "\"1\""));
        get("/x");
        clock.advance(Duration.ofSeconds(11));

        var again = get("/x");

        assertThat(again.response().text()).isEqualTo("x");
        assertThat(outcomes(again)).containsExactly(Outcome.MISS);
        assertThat(application.targets()).hasSize(3);
    }

    @Test
    void staleStandsInAsLongAsItMay() {
        application.on("/page", page("<" + include("/x") + ">"));
        application.on(
                "/x",
                reply(200, "1", "Cache-Control", "max-age=10, stale-if-error=30"),
                reply(503, "down"));
        get("/page");

        clock.advance(Duration.ofSeconds(25));
        var standIn = get("/page");
        clock.advance(Duration.ofSeconds(30));
        var tooLate = get("/page");

        assertThat(standIn.response().text()).isEqualTo("<1>");
        assertThat(outcomes(standIn)).containsExactly(Outcome.HIT, Outcome.STALE);
        assertThat(tooLate.response().text()).isEqualTo("<>");
        assertThat(outcomes(tooLate)).containsExactly(Outcome.HIT, Outcome.FAILED);
        assertThat(tooLate.response().field("Cache-Control")).isEqualTo("no-store");
    }

    @Test
    void staleStandsInForAnApplicationThatIsDown() {
        application.on("/x", fragment("max-age=10", "1"), new Reply.None("refused"));
        get("/x");

        clock.advance(Duration.ofSeconds(65));
        assertThat(get("/x").response().text()).isEqualTo("1");

        clock.advance(Duration.ofSeconds(10));
        assertThat(get("/x").response().status()).isEqualTo(502);
    }

    @Test
    void whatMustBeRevalidatedIsNotServedStale() {
        application.on(
                "/x",
                reply(200, "1", "Cache-Control", "max-age=10, must-revalidate", "ETag", "\"1\""),
                new Reply.None("refused"));
        get("/x");
        clock.advance(Duration.ofSeconds(11));

        var response = get("/x").response();

        assertThat(response.status()).isEqualTo(504);
        assertThat(response.text()).contains("could not be asked");
    }

    @Test
    void setCookieIsPassedAndNotStored() {
        application.on(
                "/x", reply(200, "x", "Cache-Control", "max-age=60", "Set-Cookie", "session=1"));

        var first = get("/x");
        var second = get("/x");

        assertThat(first.response().field("Set-Cookie")).isEqualTo("session=1");
        assertThat(outcomes(second)).containsExactly(Outcome.PASS);
        assertThat(application.targets()).hasSize(2);
    }

    @Test
    void cookieOfAFragmentReachesNobody() {
        application.on("/page", page(include("/me")));
        application.on("/me", reply(200, "me", "Set-Cookie", "session=1"));

        assertThat(get("/page").response().field("Set-Cookie")).isNull();
    }

    @Test
    void variantsLiveSideBySide() {
        application.on(
                "/x",
                request ->
                        fragment(
                                "max-age=60",
                                String.valueOf(request.field("Accept-Language")),
                                "Vary",
                                "Accept-Language"));

        assertThat(get("/x", "Accept-Language", "de").response().text()).isEqualTo("de");
        assertThat(get("/x", "Accept-Language", "en").response().text()).isEqualTo("en");
        assertThat(get("/x", "Accept-Language", "DE").response().text()).isEqualTo("de");
        assertThat(application.targets()).hasSize(2);
    }

    @Test
    void fieldsThatPickAFragmentPickThePage() {
        application.on("/page", page(include("/x")));
        application.on("/x", fragment("max-age=60", "x", "Vary", "Accept-Language"));

        assertThat(get("/page").response().field("Vary")).isEqualTo("accept-language");
    }

    @Test
    void purgesTakeWhatTheyName() {
        application.on("/page", page(include("/one") + include("/two")));
        application.on("/one", fragment("max-age=60", "1", "Surrogate-Key", "odd all"));
        application.on("/two", fragment("max-age=60", "2", "Cache-Tag", "even,all"));
        get("/page");

        application.forget();
        surrogate.purgeTags("odd");
        get("/page");
        assertThat(application.targets()).containsExactly("/one");

        application.forget();
        surrogate.purgeTags("all", "nothing");
        get("/page");
        assertThat(application.targets()).containsExactlyInAnyOrder("/one", "/two");

        application.forget();
        surrogate.purge("/page", "/two");
        get("/page");
        assertThat(application.targets()).containsExactly("/page", "/two");
    }

    @Test
    void answerThatBeganBeforeItsPurgeIsNotStored() throws Exception {
        var purged = new CountDownLatch(1);
        var asked = new CountDownLatch(1);
        application.on(
                "/x",
                request -> {
                    asked.countDown();
                    await(purged);
                    return fragment("max-age=60", "old", "Surrogate-Key", "x");
                });
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var reader = threads.submit(() -> get("/x"));
            await(asked);
            surrogate.purgeTags("x");
            purged.countDown();

            assertThat(reader.get(20, TimeUnit.SECONDS).response().text()).isEqualTo("old");
        }
        application.on("/x", fragment("max-age=60", "new"));

        assertThat(get("/x").response().text()).isEqualTo("new");
    }

    @Test
    void changeDropsWhatItHasMadeUntrue() {
        application.on("/x", request -> fragment("max-age=60", request.method()));
        application.on("/list", fragment("max-age=60", "list", "Cache-Groups", "\"articles\""));
        application.on(
                "/article",
                reply(303, "", "Location", "/x", "Cache-Group-Invalidation", "\"articles\""));
        get("/x");
        get("/list");

        ask("POST", "/article");

        application.forget();
        get("/x");
        get("/list");
        assertThat(application.targets()).containsExactly("/x", "/list");
    }

    @Test
    void failedChangeDropsNothing() {
        application.on(
                "/x",
                request ->
                        request.method().equals("GET")
                                ? fragment("max-age=60", "x")
                                : reply(403, "no"));
        get("/x");

        assertThat(ask("POST", "/x").response().status()).isEqualTo(403);

        application.forget();
        get("/x");
        assertThat(application.targets()).isEmpty();
    }

    @Test
    void manyReadersOfAColdPageAreOneRequestForEachOfItsParts() {
        var open = new CountDownLatch(1);
        application.on("/page", page(include("/live")));
        application.on("/live", fragment("max-age=60", "live"));
        application.onceOpen("/page", open);

        var all = together(50, open, "/page");

        assertThat(all)
                .hasSize(50)
                .allSatisfy(one -> assertThat(one.response().text()).isEqualTo("live"));
        assertThat(application.targets()).containsExactly("/page", "/live");
    }

    @Test
    void answerThatIsForOneSendsTheOthersToTheApplicationThemselves() {
        var open = new CountDownLatch(1);
        application.on("/me", request -> privately(String.valueOf(request.field("Cookie"))));
        application.onceOpen("/me", open);

        together(20, open, "/me");

        assertThat(application.requests("/me")).hasSize(20);
    }

    @Test
    void failureIsToldToAllWhoWait() {
        var open = new CountDownLatch(1);
        application.on("/x", new Reply.None("refused"));
        application.onceOpen("/x", open);

        var all = together(20, open, "/x");

        assertThat(all).allSatisfy(one -> assertThat(one.response().status()).isEqualTo(502));
        assertThat(application.requests("/x").size()).isLessThan(20);
    }

    @Test
    void pageLivesAtItsReadersAsLongAsItsShortestPart() {
        application.on(
                "/page",
                reply(
                        200,
                        "<" + include("/part") + ">",
                        "Cache-Control",
                        "max-age=300",
                        "Surrogate-Control",
                        "max-age=300, content=\"ESI/1.0\""));
        application.on("/part", reply(200, "part", "Cache-Control", "max-age=20"));

        var response = get("/page").response();

        assertThat(response.field("Cache-Control")).isEqualTo("max-age=20");
        assertThat(response.field("Content-Length")).isEqualTo("6");
        assertThat(response.field("ETag")).startsWith("W/\"");
    }

    @Test
    void privatePartMakesThePagePrivate() {
        application.on("/page", page(include("/me")));
        application.on("/me", privately("me"));

        var response = get("/page").response();

        assertThat(response.field("Cache-Control")).isEqualTo("private, no-cache");
        assertThat(response.field("ETag")).isNull();
    }

    @Test
    void readerWhoHasThePageIsToldSo() {
        application.on("/page", page(include("/part")));
        application.on("/part", fragment("max-age=10", "1"), fragment("max-age=10", "2"));
        var tag = String.valueOf(get("/page").response().field("ETag"));

        var same = get("/page", "If-None-Match", tag).response();
        surrogate.purge("/part");
        var changed = get("/page", "If-None-Match", tag).response();

        assertThat(same.status()).isEqualTo(304);
        assertThat(same.body().length()).isZero();
        assertThat(changed.status()).isEqualTo(200);
        assertThat(changed.text()).isEqualTo("2");
    }

    @Test
    void readerWhoHasAResponseThatIsNoPageIsToldSo() {
        application.on("/x", reply(200, "x", "Cache-Control", "max-age=60", "ETag", "\"1\""));
        get("/x");
        clock.advance(Duration.ofSeconds(7));

        var response = get("/x", "If-None-Match", "W/\"1\"").response();

        assertThat(response.status()).isEqualTo(304);
        assertThat(response.field("ETag")).isEqualTo("\"1\"");
        assertThat(response.field("Age")).isEqualTo("7");
    }

    @Test
    void headIsAnsweredFromWhatIsStoredAndAsksForNoFragment() {
        application.on("/page", page(include("/part") + include("/me")));
        application.on("/part", fragment("max-age=60", "part"));
        application.on("/me", privately("me"));
        get("/page");
        application.forget();

        var response = ask("HEAD", "/page").response();

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.body().length()).isZero();
        assertThat(response.field("Cache-Control")).isEqualTo("private, no-cache");
        assertThat(application.targets()).isEmpty();
    }

    @Test
    void headOfNothingStoredIsTheApplicationsToAnswer() {
        application.on(
                "/x",
                request -> reply(200, "", "Content-Length", "5", "Cache-Control", "max-age=60"));

        var response = ask("HEAD", "/x").response();

        assertThat(application.requests("/x").getFirst().method()).isEqualTo("HEAD");
        assertThat(response.field("Content-Length")).isEqualTo("5");
    }

    @Test
    void fragmentThatComesTooLateIsReplaced() {
        application.on(
                "/page", page("<esi:include src=\"/slow\" maxwait=\"50\" alt=\"/instead\"/>"));
        var isLate = new CountDownLatch(1);
        application.on("/slow", fragment("max-age=60", "slow"));
        application.onceOpen("/slow", isLate);
        application.on(
                "/instead",
                request -> {
                    isLate.countDown();
                    return fragment("max-age=60", "instead");
                });

        var assembled = get("/page");

        assertThat(assembled.response().text()).isEqualTo("instead");
        assertThat(parts(assembled).get(1).outcome()).isEqualTo(Outcome.FAILED);
        assertThat(parts(assembled).get(1).error()).contains("not there after PT0.05S");
        assertThat(parts(assembled).get(2).target()).isEqualTo("/instead");
    }

    @Test
    void redirectsOfFragmentsAreFollowedThreeTimes() {
        application.on("/page", page(include("/1") + "|" + include("/0")));
        for (int i = 0; i < 4; i++) {
            application.on("/" + i, reply(302, "", "Location", "/" + (i + 1)));
        }
        application.on("/4", fragment("max-age=60", "four"));

        var assembled = get("/page");

        assertThat(assembled.response().text()).isEqualTo("four|");
        assertThat(parts(assembled).get(1).outcome()).isEqualTo(Outcome.MISS);
        assertThat(parts(assembled).get(2).error()).contains("redirects more than 3 times");
    }

    @Test
    void nestedFragmentsKnowTheirParents() {
        application.on("/page", page(include("/outer")));
        application.on("/outer", page("(" + include("/inner") + ")"));
        application.on("/inner", fragment("max-age=60", include("/never")));

        var assembled = get("/page");

        assertThat(assembled.response().text()).isEqualTo("(" + include("/never") + ")");
        assertThat(parts(assembled))
                .extracting(Part::target, Part::parent, Part::depth)
                .containsExactly(
                        tuple("/page", null, 0),
                        tuple("/outer", "/page", 1),
                        tuple("/inner", "/outer", 2));
    }

    @Test
    void fragmentThatBreaksOffIsNone() {
        application.on("/page", page("<" + include("/cut") + ">"));
        application.on(
                "/cut", new Reply.Cut(response(200, "whole", "Cache-Control", "max-age=60"), 2));

        var assembled = get("/page");

        assertThat(assembled.response().text()).isEqualTo("<>");
        assertThat(parts(assembled).get(1).error()).contains("breaks off behind 2 bytes");
    }

    @Test
    void pageThatBreaksOffIsNoProperResponse() {
        application.on("/x", new Reply.Cut(response(200, "whole"), 2));

        assertThatThrownBy(() -> get("/x"))
                .isInstanceOf(AssertionError.class)
                .hasMessage(
                        "expected a whole response to GET /x, found one that breaks off behind 2 bytes, as the application's did");
    }

    @Test
    void whatTheApplicationThrowsReachesTheTest() {
        application.on("/page", page(include("/bug")));
        application.on(
                "/bug",
                request -> {
                    throw new IllegalStateException("a bug of the application");
                });

        assertThatThrownBy(() -> get("/page"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a bug of the application");
    }

    private Assembled get(String target, String... fields) {
        return ask("GET", target, fields);
    }

    private Assembled ask(String method, String target, String... fields) {
        return surrogate.ask(
                new Request(
                        method,
                        target,
                        new Fields.Builder()
                                .add("Host", InMemoryApplication.AUTHORITY)
                                .addAll(Fields.of(fields))
                                .build(),
                        Content.of(new byte[0])));
    }

    /** What {@code readers} get who ask at once; {@code open} is opened once one has been heard. */
    private List<Assembled> together(int readers, CountDownLatch open, String target) {
        var ready = new CountDownLatch(readers);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<Assembled> reader =
                    () -> {
                        ready.countDown();
                        await(ready);
                        return get(target, "Cookie", "reader=1");
                    };
            var answers =
                    IntStream.range(0, readers).mapToObj(i -> threads.submit(reader)).toList();
            awaitTargets(target);
            open.countDown();
            var all = new ArrayList<Assembled>();
            for (var answer : answers) {
                all.add(answer.get(20, TimeUnit.SECONDS));
            }
            return all;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void awaitTargets(String target) {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (application.requests(target).isEmpty()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("nobody asks for " + target);
            }
            Thread.onSpinWait();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("they are not fetched side by side", e);
        }
    }

    private static List<Part> parts(Assembled assembled) {
        return assembled.parts().orElseThrow();
    }

    private static List<Outcome> outcomes(Assembled assembled) {
        return parts(assembled).stream().map(Part::outcome).toList();
    }

    private static Content content(String text) {
        return Content.of(text.getBytes(StandardCharsets.UTF_8));
    }
}
