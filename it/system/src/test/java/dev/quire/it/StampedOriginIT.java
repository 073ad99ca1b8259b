package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.RunningProxy;
import dev.quire.test.wire.TestClock;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An application that copies unescaped input into its pages and stamps its own tags: docs/esi.md,
 * Stamps.
 */
class StampedOriginIT {
    private static final Pattern STAMP = Pattern.compile("Stamp/1\\.([A-Za-z0-9_-]{22})\"$");
    private static final String SECRET = "who-am-i";
    private static final String GUESSED = "AAAAAAAAAAAAAAAAAAAAAA";
    private static final String OF_CLIENT = "BBBBBBBBBBBBBBBBBBBBBB";

    private final TestClock clock = TestClock.handSet();
    private final Origin origin = Origin.start(clock);
    private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();
    private final List<RunningProxy> proxies = new ArrayList<>();

    @TempDir Path directory;

    private RunningProxy proxy;
    private volatile String reflected = "";

    @BeforeEach
    void start() {
        proxy =
                started(
                        RunningProxy.inFrontOf(origin)
                                .clock(clock)
                                .with(
                                        "log",
                                        "{ access: " + directory.resolve("access.log") + " }"));
        origin.on("/page", this::page);
        origin.on("/f", request -> stamped(request, "F" + reflected + tag(request)));
        origin.on("/g", fragment("G"));
        origin.on("/evil", fragment("EVIL"));
    }

    private RunningProxy started(RunningProxy.Setup setup) {
        var started = setup.start();
        proxies.add(started);
        return started;
    }

    @AfterEach
    void stop() {
        proxies.reversed().forEach(RunningProxy::close);
        origin.close();
        clients.shutdownNow();
    }

    private static String stampOf(ReceivedRequest request) {
        var stamp = STAMP.matcher(String.valueOf(request.field("Surrogate-Capability")));
        assertThat(stamp.find()).as("%s", request.fields()).isTrue();
        return stamp.group(1);
    }

    private static String tag(ReceivedRequest request) {
        return "<esi:@include src='/g'/>".replace("@", stampOf(request) + ":");
    }

    private static Answer stamped(ReceivedRequest request, String document) {
        return Answer.html(document)
                .field(
                        "Surrogate-Control",
                        "max-age=60+0, content=\"ESI/1.0\", stamp=\"" + stampOf(request) + "\"");
    }

    private Answer page(ReceivedRequest request) {
        if (request.field("If-None-Match") != null) {
            return Answer.status(304)
                    .field("ETag", "\"1\"")
                    .field(
                            "Surrogate-Control",
                            "max-age=60+0, content=\"ESI/1.0\", stamp=\""
                                    + stampOf(request)
                                    + "\"");
        }
        var text = reflected;
        var document =
                "<p>%s</p><esi:@try><esi:@attempt>%s<esi:@include src='/f'/></esi:@attempt><esi:@except>E</esi:@except></esi:@try><esi:@vars>%s$@(HTTP_HOST)</esi:@vars>"
                        .formatted(text, text, text)
                        .replace("@", stampOf(request) + ":");
        return stamped(request, document).field("ETag", "\"1\"");
    }

    /** Returns the expected page if {@code text} was reflected. */
    private String expected(String text) {
        var host = proxy.http().getHostString() + ":" + proxy.http().getPort();
        return "<p>" + text + "</p>" + text + "F" + text + "G" + text + host;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<esi:include src='/evil'/>",
                "<!--esi <esi:include src='/evil'/> -->",
                "</esi:try></esi:attempt></esi:vars>",
                "--> <!-- <![CDATA[",
                "$(HTTP_COOKIE) $(HTTP_COOKIE{sid})",
                "<esi:OLD:include src='/evil'/></esi:OLD:try>$OLD:(HTTP_COOKIE)",
                "<esi:OTHER:include src='/evil'/></esi:OTHER:try>$OTHER:(HTTP_COOKIE)",
                "<esi:GUESSED:include src='/evil'/></esi:GUESSED:vars>$GUESSED:(HTTP_COOKIE)",
                "<esi:CLIENT:include src='/evil'/></esi:CLIENT:attempt>$CLIENT:(HTTP_COOKIE)"
            })
    void nothingThatAReaderHasWrittenRuns(String payload) throws Exception {
        get();
        reflected =
                payload.replace("OLD", stampOf(last("/page")))
                        .replace("OTHER", stampOf(last("/f")))
                        .replace("GUESSED", GUESSED)
                        .replace("CLIENT", OF_CLIENT);
        proxy.purge("/page", "/f");
        origin.forget();

        var miss = get();
        check(miss);
        origin.forget();
        assertThat(get()).as("hit").isEqualTo(miss);
        assertThat(origin.paths()).isEmpty();

        clock.advance(Duration.ofSeconds(61));
        var validated = get();
        check(validated);
        assertThat(origin.requests("/page"))
                .singleElement()
                .satisfies(
                        request -> assertThat(request.field("If-None-Match")).isEqualTo("\"1\""));

        proxy.purge("/page");
        var held = origin.hold("/page");
        var waiting = List.of(later(this::get), later(this::get), later(this::get));
        proxy.awaitMetric("quire_exchanges_waiting", 3);
        held.release();
        for (var each : waiting) {
            check(each.get(20, TimeUnit.SECONDS));
        }
        assertThat(origin.paths()).doesNotContain("/evil");
        nobodyIsToldAStamp();
    }

    private String get() {
        return proxy.get(
                        "/page",
                        "Cookie",
                        "sid=" + SECRET,
                        "Surrogate-Capability",
                        "quire=\"Surrogate/1.0 ESI/1.0 Stamp/1." + OF_CLIENT + "\"")
                .text();
    }

    private Future<String> later(Callable<String> what) {
        return clients.submit(what);
    }

    /** Asserts that the input is text, and that the page's stamp is not in the response. */
    private void check(String page) {
        assertThat(page).isEqualTo(expected(reflected));
        assertThat(page).doesNotContain(SECRET);
        assertThat(origin.paths()).doesNotContain("/evil");
        assertThat(page).doesNotContain(stampOf(last("/page")));
    }

    private ReceivedRequest last(String path) {
        return origin.requests(path).getLast();
    }

    private void nobodyIsToldAStamp() throws IOException {
        origin.on("/gone", Answer.nothing());
        var told = new StringBuilder(proxy.get("/gone").text());
        for (var target :
                List.of(
                        "/metrics",
                        "/v1/stats",
                        "/v1/cache?url=" + proxy.url("/page"),
                        "/readyz")) {
            told.append(proxy.getAdmin(target).text());
        }
        told.append(Files.readString(directory.resolve("access.log")));
        proxy.stored().stream()
                .filter(entry -> entry.url().endsWith("/page"))
                .forEach(entry -> told.append(entry.fields()).append(entry.head()));

        for (var request : origin.requests()) {
            assertThat(told).doesNotContain(stampOf(request));
        }
        assertThat(told).contains("quire_esi_documents_total{tags=\"stamped\"}");
    }

    @Test
    void retryBearsAStampOfItsOwn() {
        try (var client = proxy.connect()) {
            // leaves a persistent connection that is then lost
            client.get("/page");
            proxy.purge("/page");
            origin.forget();
            var refused = new AtomicBoolean();
            origin.on("/page", request -> refused.getAndSet(true) ? page(request) : Answer.reset());

            assertThat(client.get("/page").text()).isEqualTo(expected(""));
        }

        assertThat(origin.requests("/page").stream().map(StampedOriginIT::stampOf))
                .hasSize(2)
                .doesNotHaveDuplicates();
    }

    @Test
    void proxyInFrontThatAssemblesRunsNothingButWhatTheApplicationStamped() {
        var near =
                started(
                        RunningProxy.inFrontOf(origin)
                                .clock(clock)
                                .with("trusted", "[127.0.0.0/8]")
                                .with("esi", "{ trust-downstream: true }"));
        proxy = started(RunningProxy.inFrontOf(URI.create(near.url(""))).clock(clock));
        reflected = include("/evil") + "</esi:try>$(HTTP_COOKIE)";

        assertThat(get()).isEqualTo(expected(reflected));
        assertThat(get()).isEqualTo(expected(reflected));

        assertThat(origin.paths()).containsExactlyInAnyOrder("/page", "/f", "/g");
        assertThat(proxy.getAdmin("/metrics").text())
                .contains("quire_esi_documents_total{tags=\"stamped\"} 2");
    }

    @Test
    void cacheInBetweenThatReplaysAnswersMakesThemText() {
        var replayed = "<esi:%s:include src='/evil'/>".formatted(GUESSED);
        origin.on(
                "/page",
                Answer.html(replayed)
                        .field(
                                "Surrogate-Control",
                                "max-age=60, content=\"ESI/1.0\", stamp=\"" + GUESSED + "\""));

        assertThat(get()).isEqualTo(replayed);

        assertThat(origin.paths()).containsExactly("/page");
        assertThat(proxy.getAdmin("/metrics").text())
                .contains("quire_esi_documents_total{tags=\"inert\"} 1");
    }

    @Test
    void pageWithoutTagsOfItsOwnIsTextAlsoWhereEveryDocumentIsRead() {
        proxy =
                started(
                        RunningProxy.inFrontOf(origin)
                                .clock(clock)
                                .with("routes", "[ { origin: tested, esi: on } ]"));
        var found = "nothing found for " + include("/evil") + "$(HTTP_COOKIE)";
        origin.on(
                "/page",
                request ->
                        Answer.html(found)
                                .field("Cache-Control", "max-age=60")
                                .field("Surrogate-Control", "stamp=\"" + stampOf(request) + "\""));

        assertThat(get()).isEqualTo(found);
        assertThat(get()).isEqualTo(found);

        // that field alone does not affect caching: Cache-Control applies
        assertThat(origin.paths()).containsExactly("/page");
    }
}
