package dev.quire.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.quire.core.assemble.Assembly.CacheOutcome;
import dev.quire.test.internal.Part;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.ReceivedRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sites whose pages the real proxy assembles. */
class ProxySiteIT {
    private final List<EsiSite> opened = new ArrayList<>();

    @AfterEach
    void close() {
        opened.forEach(EsiSite::close);
    }

    @Test
    void partsTellHowTheyCameIntoThePage() {
        var site =
                site(origin ->
                        origin.on("/", page("<i/live><i/me>", "max-age=60"))
                                .on("/live", fragment("L", "max-age=30"))
                                .on("/me", fragment("M", "private")));

        var first = site.get("/");
        var second = site.get("/");

        assertThat(first.html()).isEqualTo("LM");
        assertThat(ways(first)).containsExactly("/ MISS", "/live MISS", "/me PASS");
        assertThat(ways(second)).containsExactly("/ HIT", "/live HIT", "/me PASS");
        assertThat(targets(second)).containsExactly("/me");
    }

    @Test
    void clockAgesWhatIsKept() {
        var site =
                site(origin ->
                        origin.on("/", page("<i/live>", "max-age=3600"))
                                .on(
                                        "/live",
                                        fragment("1", "max-age=30, stale-while-revalidate=60"),
                                        fragment("2", "max-age=30"),
                                        fragment("3", "max-age=30")));
        site.get("/");

        site.clock().advance(Duration.ofSeconds(29));
        var fresh = site.get("/");
        site.clock().advance(Duration.ofSeconds(31));
        var inGrace = site.get("/");
        var refreshed = site.get("/");
        site.clock().advance(Duration.ofMinutes(5));
        var old = site.get("/");

        assertThat(fresh.html()).isEqualTo("1");
        assertThat(ways(fresh)).containsExactly("/ HIT", "/live HIT");
        assertThat(targets(fresh)).isEmpty();
        assertThat(inGrace.html()).isEqualTo("1");
        assertThat(ways(inGrace)).containsExactly("/ HIT", "/live STALE");
        assertThat(targets(inGrace)).as("the refresh is this page's").containsExactly("/live");
        assertThat(refreshed.html()).isEqualTo("2");
        assertThat(ways(refreshed)).containsExactly("/ HIT", "/live HIT");
        assertThat(targets(refreshed)).isEmpty();
        assertThat(old.html()).isEqualTo("3");
        assertThat(ways(old)).containsExactly("/ HIT", "/live MISS");
        assertThat(part(old, "/live").freshness())
                .hasValueSatisfying(
                        clocks -> assertThat(clocks.lifetime()).isEqualTo(Duration.ofSeconds(30)));
    }

    @Test
    void whatStillHoldsIsRevalidated() {
        var site =
                site(origin ->
                        origin.on("/", page("<i/live>", "max-age=3600"))
                                .on(
                                        "/live",
                                        fragment("1", "max-age=30").field("ETag", "\"1\""),
                                        Answer.status(304)
                                                .field("ETag", "\"1\"")
                                                .field("Cache-Control", "max-age=30")));
        site.get("/");
        site.clock().advance(Duration.ofMinutes(5));

        var page = site.get("/");

        assertThat(page.html()).isEqualTo("1");
        assertThat(ways(page)).containsExactly("/ HIT", "/live REVALIDATED");
        assertThat(part(page, "/live").body()).hasToString("1");
        assertThat(page.trace().requests())
                .singleElement()
                .satisfies(request ->
                        assertThat(request.request().field("If-None-Match")).isEqualTo("\"1\""));
    }

    @Test
    void purgesReachWhatBearsTheTagOrHasTheTarget() {
        var site =
                site(origin ->
                        origin.on("/", page("<i/live><i/map><i/news>", "max-age=60"))
                                .on("/live", tagged("L", "election live"))
                                .on("/map", tagged("M", "election"))
                                .on("/news", tagged("N", "news")));
        site.get("/");

        site.purgeTags("election");
        var byTag = site.get("/");
        site.purge("/news", "/");
        var byTarget = site.get("/");

        assertThat(ways(byTag)).containsExactly("/ HIT", "/live MISS", "/map MISS", "/news HIT");
        assertThat(targets(byTag)).containsExactlyInAnyOrder("/live", "/map");
        assertThat(ways(byTarget)).containsExactly("/ MISS", "/live HIT", "/map HIT", "/news MISS");
    }

    @Test
    void eachReaderGetsTheirOwnPrivateParts() {
        var site =
                site(origin ->
                        origin.on("/", page("<i/me>", "max-age=60"))
                                .on(
                                        "/me",
                                        request ->
                                                fragment(
                                                        "you: " + request.field("Cookie"),
                                                        "private")));
        var anna = User.user("anna").withCookie("who", "anna");
        var otto = User.user("otto").withCookie("who", "otto");

        assertThat(site.as(anna).get("/").html()).isEqualTo("you: who=anna");
        var second = site.as(otto).get("/");

        assertThat(second.html()).isEqualTo("you: who=otto");
        assertThat(ways(second)).containsExactly("/ HIT", "/me PASS");
        assertThat(second.fragment("/me").html()).contains("you: who=otto");
        assertThat(second.headers().first("Cache-Control")).contains("private");
    }

    @Test
    void bodiesOfHitsAreThoseOfTheVariant() {
        var site =
                site(origin ->
                        origin.on("/", page("<i/hello>", "max-age=60"))
                                .on(
                                        "/hello",
                                        request ->
                                                fragment(
                                                                "in "
                                                                        + request.field(
                                                                                "Accept-Language"),
                                                                "max-age=60")
                                                        .field("Vary", "Accept-Language")));
        var one = User.user("one").speaking("de");
        var other = User.user("other").speaking("fr");
        site.as(one).get("/");
        site.as(other).get("/");

        var again = site.as(one).get("/");

        assertThat(ways(again)).containsExactly("/ HIT", "/hello HIT");
        assertThat(again.fragment("/hello").html()).contains("in de");
    }

    @Test
    void nestedPartsTellTheirParentsAndLevels() {
        var site =
                site(origin ->
                        origin.on("/", page("<i/box>", "max-age=60"))
                                .on("/box", page("[<i/in>]", "max-age=60"))
                                .on("/in", fragment("I", "max-age=60")));

        var page = site.get("/");

        assertThat(page.html()).isEqualTo("[I]");
        assertThat(page.trace().parts().orElseThrow())
                .extracting(Part::target, Part::parent, Part::depth)
                .containsExactly(
                        tuple("/", null, 0), tuple("/box", "/", 1), tuple("/in", "/box", 2));
        assertThat(part(page, "/box").body()).hasToString("[<esi:include src=\"/in\"/>]");
        assertThat(part(page, "/in").from()).isGreaterThanOrEqualTo(part(page, "/box").to());
    }

    @Test
    void fragmentsAreFetchedSideBySide() {
        var both = new CountDownLatch(2);
        Function<ReceivedRequest, Answer> meeting =
                request -> {
                    both.countDown();
                    return fragment(met(both) ? "met" : "alone", "max-age=60");
                };
        var site =
                site(origin ->
                        origin.on("/", page("<i/a>,<i/b>", "max-age=60"))
                                .on("/a", meeting)
                                .on("/b", meeting));

        var page = site.get("/");

        assertThat(page.html()).isEqualTo("met,met");
        var requests = page.trace().requests();
        assertThat(requests.get(2).from()).isLessThan(requests.get(1).to());
        assertThat(requests.get(1).from()).isGreaterThanOrEqualTo(requests.get(0).to());
        assertThat(part(page, "/a").to()).isGreaterThan(part(page, "/b").from());
        assertThat(part(page, "/b").to()).isGreaterThan(part(page, "/a").from());
    }

    @Test
    void manyReadersAtOnceCauseOneRequestEach() {
        var site =
                site(origin ->
                        origin.on("/", page("<i/live>", "max-age=60"))
                                .on("/live", fragment("L", "max-age=30")));

        var pages = site.together(20, "/");

        assertThat(pages).hasSize(20).extracting(Page::html).containsOnly("L");
        assertThat(site.requests())
                .extracting(ApplicationRequest::target)
                .containsExactly("/", "/live");
        assertThat(site.pages()).hasSize(20);
    }

    @Test
    void failingFragmentIsLeftOutAndSaysWhy() {
        var site = newsSite();

        var failed = site.with(Faults.none().fail("/live", 503)).get("/");
        var dropped = site.with(Faults.none().drop("/live")).get("/");
        var cut = site.with(Faults.none().truncate("/live", 1)).get("/");
        var whole = site.get("/");

        assertThat(List.of(failed, dropped, cut)).extracting(Page::html).containsOnly("<>");
        assertThat(List.of(failed, dropped, cut)).extracting(Page::status).containsOnly(200);
        assertThat(part(failed, "/live").outcome()).isEqualTo(CacheOutcome.FAILED);
        assertThat(part(failed, "/live").status()).isEqualTo(503);
        assertThat(part(failed, "/live").error())
                .contains("origin status")
                .contains("responded with status 503");
        assertThat(part(failed, "/live").body())
                .hasToString("<html><body><h1>Error 503</h1></body></html>");
        assertThat(part(dropped, "/live").error()).contains("origin");
        assertThat(part(dropped, "/live").status()).isZero();
        assertThat(part(dropped, "/live").body()).isNull();
        assertThat(part(cut, "/live").error()).contains("truncated");
        assertThat(targets(dropped)).as("asked for once").containsExactly("/live");
        assertThat(whole.html()).isEqualTo("<LIVE>");
    }

    @Test
    void fragmentThatComesTooLateIsNotWaitedFor() {
        var site =
                newsSite()
                        .assembledBy(
                                Assembling.proxy(
                                        setup -> setup.with("esi", "{ include-timeout: 100ms }")));

        var page = site.with(Faults.none().slow("/live", Duration.ofHours(1))).get("/");

        assertThat(page.html()).isEqualTo("<>");
        assertThat(part(page, "/live").error()).contains("timeout");
        assertThat(page.trace().requests().getLast())
                .satisfies(request -> {
                    assertThat(request.target()).isEqualTo("/live");
                    assertThat(request.reply())
                            .isEqualTo(new Reply.None("the client did not wait for it"));
                });
    }

    @Test
    void slowFragmentThatIsWaitedForTakesItsTime() {
        var site = newsSite();

        var page = site.with(Faults.none().slow("/live", Duration.ofMillis(60))).get("/");

        assertThat(page.html()).isEqualTo("<LIVE>");
        var live = part(page, "/live");
        assertThat(live.to().minus(live.from())).isGreaterThanOrEqualTo(Duration.ofMillis(60));
    }

    @Test
    void faultThatHappensOnceIsSeenOnce() {
        var site = newsSite();
        var faults = Faults.none().drop("/live").once();

        assertThat(site.with(faults).get("/").html()).isEqualTo("<>");
        assertThat(site.with(faults).get("/").html()).isEqualTo("<LIVE>");
        assertThat(faults.unused()).isEmpty();
    }

    @Test
    void otherBodyKeepsItsHead() {
        var page = newsSite().with(Faults.none().body("/live", "other")).get("/");

        assertThat(page.html()).isEqualTo("<other>");
        assertThat(part(page, "/live").outcome()).isEqualTo(CacheOutcome.MISS);
        assertThat(part(page, "/live").fields().first("Cache-Control")).isEqualTo("max-age=30");
    }

    @Test
    void whatIsStaleStandsInForAnErrorThatItMayStandInFor() {
        var site =
                site(origin ->
                        origin.on("/", page("<i/live>", "max-age=3600"))
                                .on("/live", fragment("L", "max-age=30, stale-if-error=600")));
        site.get("/");
        site.clock().advance(Duration.ofSeconds(100));

        var page = site.with(Faults.none().fail("/live", 503)).get("/");

        assertThat(page.html()).isEqualTo("L");
        assertThat(ways(page)).containsExactly("/ HIT", "/live STALE");
        assertThat(part(page, "/live").status()).isEqualTo(200);
    }

    @Test
    void pageThatFailsIsAnErrorOfTheProxy() {
        var site = newsSite();

        var failed = site.with(Faults.none().fail("/", 500)).get("/");
        var dropped = site.with(Faults.none().drop("/")).get("/");

        assertThat(failed.status()).isEqualTo(500);
        assertThat(ways(failed)).containsExactly("/ PASS");
        assertThat(dropped.status()).isEqualTo(502);
        assertThat(ways(dropped)).containsExactly("/ FAILED");
        assertThat(part(dropped, "/").error()).contains("origin");
    }

    @Test
    void pageThatBreaksOffUnderTheReaderIsNoPage() {
        var site = site(origin -> origin.on("/big", fragment("x".repeat(200_000), "no-store")));

        assertThatThrownBy(() -> site.with(Faults.none().truncate("/big", 150_000)).get("/big"))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("the proxy did not send a complete response to GET /big: ");
        assertThat(site.get("/big").html()).hasSize(200_000);
    }

    @Test
    void poisonInAFragmentThatIsNoDocumentIsTextThatRunsNowhere() {
        var page = newsSite().with(Faults.none().poison("/live")).get("/");

        assertThat(page.html()).isEqualTo("<" + Faults.POISON + ">");
        assertThat(targets(page)).containsExactly("/", "/live");
        assertThat(ways(page)).containsExactly("/ MISS", "/live MISS");
    }

    @Test
    void tagsThatGotIntoADocumentRunOnlyWhereTheApplicationDoesNotStamp() {
        var site =
                site(origin ->
                        origin.on("/", page("<i/open>|<i/stamped>", "max-age=60"))
                                .on("/open", page("O", "max-age=60"))
                                .on("/stamped", ProxySiteIT::stamped)
                                .on("/poisoned", fragment("RAN", "max-age=60")));

        var stamped = site.with(Faults.none().poison("/stamped")).get("/");
        site.purge("/stamped", "/open");
        var open = site.with(Faults.none().poison("/open")).get("/");

        assertThat(stamped.html()).isEqualTo("O|" + Faults.POISON);
        assertThat(targets(stamped)).containsExactlyInAnyOrder("/", "/open", "/stamped");
        assertThat(open.html()).startsWith("RAN").doesNotContain("$(HTTP_HOST)").endsWith("|S");
        assertThat(open.trace().parts().orElseThrow())
                .extracting(Part::target, Part::parent)
                .contains(tuple("/poisoned", "/open"));
    }

    @Test
    void whatMayNotBeIncludedIsAPartWithoutATarget() {
        var site =
                site(origin ->
                        origin.on(
                                "/",
                                page(
                                        "[<esi:include src='http://elsewhere.test/'/>]",
                                        "max-age=60")));

        var page = site.get("/");

        assertThat(page.html()).isEqualTo("[]");
        assertThat(part(page, "?").error()).contains("denied");
    }

    @Test
    void compressedAnswersAreReadPlain() {
        var site =
                site(origin ->
                        origin.on("/", page("<i/zip>", "max-age=60"))
                                .on(
                                        "/zip",
                                        fragment("", "max-age=60")
                                                .body(zipped("plain"))
                                                .field("Content-Encoding", "gzip")));

        var page = site.get("/");

        assertThat(page.html()).isEqualTo("plain");
        assertThat(page.fragment("/zip").html()).contains("plain");
    }

    @Test
    void formsReachTheApplicationWithTheirBody() {
        var site =
                site(origin -> origin.on("/post", request -> Answer.html("got " + request.body())));

        var page = site.post("/post", Map.of("a", "ä b"));

        assertThat(page.html()).isEqualTo("got a=%C3%A4+b");
        assertThat(ways(page)).containsExactly("/post PASS");
    }

    @Test
    void readersAreNoTrustedPeers() {
        var page = newsSite().get("/", "X-Forwarded-For", "192.0.2.1");

        assertThat(page.headers().contains("Cache-Status")).isFalse();
        assertThat(page.trace().requests().getFirst().request().field("X-Forwarded-For"))
                .isEqualTo("127.0.0.1");
    }

    @Test
    void applicationHearsTheNameThatReadersUse() {
        var site = newsSite();

        var page = site.get("/");

        assertThat(page.trace().requests())
                .allSatisfy(request ->
                        assertThat(request.request().field("Host"))
                                .isEqualTo(page.asked().field("Host")));
    }

    @Test
    void resetBeginsAnewOften() {
        var site = newsSite();

        for (int i = 0; i < 20; i++) {
            assertThat(ways(site.get("/"))).containsExactly("/ MISS", "/live MISS");
            assertThat(ways(site.get("/"))).containsExactly("/ HIT", "/live HIT");
            site.reset();
        }

        assertThat(site.pages()).isEmpty();
    }

    @Test
    void closeDoesNotWaitForWhatIsSlow() throws Exception {
        var site = newsSite();
        var slow = site.with(Faults.none().slow("/live", Duration.ofHours(1)));
        var asking = new FutureTask<>(() -> slow.get("/"));
        Thread.ofVirtual().start(asking);
        while (site.requests().isEmpty()) {
            Thread.onSpinWait();
        }

        site.close();

        assertThat(asking.get(10, TimeUnit.SECONDS).html()).startsWith("<");
        assertThatThrownBy(() -> site.get("/"))
                .hasMessage(
                        "the site is closed (send requests before close(), or open another site)");
    }

    @Test
    void siteThatCannotStartSaysWhereItIsOpened() {
        var site =
                newsSite()
                        .assembledBy(
                                Assembling.proxy(setup -> setup.with("cache", "{ memroy: 1MiB }")));

        assertThatThrownBy(() -> site.get("/"))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith(
                        "the site did not start: the proxy rejects this configuration:")
                .hasMessageContaining("memroy")
                .hasMessageContaining("(opened at ProxySiteIT.java:");
    }

    @Test
    void applicationThatIsNotThereIsNoApplication() {
        int port = portOfNobody();
        var site =
                EsiSite.over(URI.create("http://127.0.0.1:" + port)).assembledBy(Assembling.PROXY);
        opened.add(site);

        assertThatThrownBy(() -> site.get("/"))
                .isInstanceOf(AssertionError.class)
                .hasMessage(
                        "nothing listens at http://127.0.0.1:"
                                + port
                                + ": start the application and check its port (expected http://HOST:PORT of a running application, for example of @LocalServerPort)");
    }

    @Test
    void whatIsSaidTooLateNamesTheLine() {
        var site = newsSite();
        site.get("/");

        assertThatThrownBy(() -> site.assembledBy(Assembling.APPLICATION))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith(
                        "assembledBy(...) comes too late: the site was already used at ProxySiteIT.java:");
    }

    private EsiSite newsSite() {
        return site(origin ->
                origin.on("/", page("<<i/live>>", "max-age=60"))
                        .on("/live", fragment("LIVE", "max-age=30")));
    }

    private EsiSite site(Consumer<Origin> routes) {
        var site = EsiSite.scripted(routes);
        opened.add(site);
        return site;
    }

    static Answer page(String body, String cacheControl) {
        return Answer.html(body.replaceAll("<i(/[^>]*)>", "<esi:include src=\"$1\"/>"))
                .field("Surrogate-Control", "content=\"ESI/1.0\"")
                .field("Cache-Control", cacheControl);
    }

    static Answer fragment(String body, String cacheControl) {
        return Answer.html(body).field("Cache-Control", cacheControl);
    }

    static List<String> ways(Page page) {
        return page.trace().parts().orElseThrow().stream()
                .map(part -> part.target() + " " + part.outcome())
                .toList();
    }

    static List<String> targets(Page page) {
        return page.trace().requests().stream().map(ApplicationRequest::target).toList();
    }

    private static Answer tagged(String body, String tags) {
        return fragment(body, "max-age=60").field("Surrogate-Key", tags);
    }

    /** A document without tags that acknowledges the stamp of its request. */
    private static Answer stamped(ReceivedRequest request) {
        var stamp =
                Pattern.compile("Stamp/1\\.([A-Za-z0-9_-]{22})\"")
                        .matcher(String.valueOf(request.field("Surrogate-Capability")));
        assertThat(stamp.find()).as("%s", request.fields()).isTrue();
        return fragment("S", "max-age=60")
                .field(
                        "Surrogate-Control",
                        "max-age=60, content=\"ESI/1.0\", stamp=\"" + stamp.group(1) + "\"");
    }

    private static boolean met(CountDownLatch both) {
        try {
            return both.await(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] zipped(String text) {
        var zipped = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(zipped)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return zipped.toByteArray();
    }

    private static int portOfNobody() {
        try (var origin = Origin.start()) {
            return origin.address().getPort();
        }
    }

    static Part part(Page page, String target) {
        return page.trace().parts().orElseThrow().stream()
                .filter(part -> part.target().equals(target))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + target + ": " + page.trace()));
    }
}
