package dev.quire.test;

import static dev.quire.test.InMemoryApplication.fragment;
import static dev.quire.test.InMemoryApplication.include;
import static dev.quire.test.InMemoryApplication.page;
import static dev.quire.test.InMemoryApplication.privately;
import static dev.quire.test.InMemoryApplication.reply;
import static dev.quire.test.InMemoryApplication.response;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.quire.core.assemble.Assembly.CacheOutcome;
import dev.quire.core.assemble.Failure;
import dev.quire.core.http.ClientNetwork;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.http.Stamp;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.SurrogateCapability;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.ResponseSink;
import dev.quire.test.internal.Assembled;
import dev.quire.test.internal.Part;
import dev.quire.test.internal.Surrogate;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.TestClock;
import dev.quire.test.wire.internal.Watch;
import io.netty.buffer.ByteBuf;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The requests from a proxy without sockets to an application, and its handling of the replies. */
class ApplicationOriginTest {
    private static final String LONG_TEXT = "0123456789".repeat(20_000);

    private final TestClock clock = TestClock.handSet();
    private final InMemoryApplication application = new InMemoryApplication();
    private final Surrogate surrogate = Assembling.PROXY.start(application, clock);

    @AfterEach
    void close() {
        surrogate.close();
    }

    @Test
    void applicationIsToldWhatEveryOriginIsTold() {
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
        assertThat(request.field("Accept-Encoding")).isEqualTo("gzip");
        assertThat(request.field("X-Forwarded-For")).isEqualTo("127.0.0.1");
        assertThat(request.field("X-Forwarded-Proto")).isEqualTo("http");
        assertThat(request.field("X-Forwarded-Host")).isEqualTo(InMemoryApplication.AUTHORITY);
        assertThat(request.fields().all("Surrogate-Capability"))
                .singleElement()
                .asString()
                .startsWith("quire=\"Surrogate/1.0 ESI/1.0 Stamp/1.");
        for (var absent : List.of("If-None-Match", "X-ESI-Level", "Esi-Variant")) {
            assertThat(request.field(absent)).as(absent).isNull();
        }
        var part = application.requests("/part").getFirst();
        assertThat(part.field("X-ESI-Level")).isEqualTo("1");
        assertThat(part.field("X-ESI-Parent")).isEqualTo("http://news.test/page");
        assertThat(part.field("Cookie")).isEqualTo("a=1");
    }

    @Test
    void everyRequestHasAStampOfItsOwn() {
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
    void onlyTagsWithTheStampOfTheRequestRun() {
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
    void bodyOfARequestArrivesWhole() {
        application.on("/form", request -> privately(request.body().text()));

        var assembled =
                surrogate.ask(
                        new Request(
                                "POST",
                                "/form",
                                Fields.of("Host", InMemoryApplication.AUTHORITY),
                                Content.of(LONG_TEXT.getBytes(UTF_8))));

        assertThat(assembled.response().text()).isEqualTo(LONG_TEXT);
    }

    @Test
    void interimResponsesReachTheReader() {
        var last = response(200, "x", "Cache-Control", "no-store");
        application.on(
                "/x",
                new Reply.Whole(
                        new Response(
                                last.version(),
                                last.status(),
                                last.fields(),
                                last.body(),
                                List.of(new ResponseHead(102, "", Fields.of("X-Part", "1"))),
                                true)));

        var response = get("/x").response();

        assertThat(response.text()).isEqualTo("x");
        assertThat(response.interims()).extracting(ResponseHead::status).containsExactly(102);
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
                        tuple("/page", null, 0, CacheOutcome.HIT, 200),
                        tuple("/live", "/page", 1, CacheOutcome.HIT, 200),
                        tuple("/me", "/page", 1, CacheOutcome.PASS, 200),
                        tuple("/gone", "/page", 1, CacheOutcome.FAILED, 404));
        assertThat(parts.get(1).body()).hasToString("live");
        assertThat(parts.get(1).freshness().map(Freshness::lifetime))
                .contains(Duration.ofSeconds(3));
        assertThat(parts.get(2).freshness()).isEmpty();
        assertThat(parts.get(3).error()).contains("/gone responded with status 404");
    }

    @Test
    void staleInItsGraceIsRefreshedBeforeTheAnswerIsThere() {
        application.on("/x", fragment("max-age=10+30", "1"), fragment("max-age=10+30", "2"));
        get("/x");

        clock.advance(Duration.ofSeconds(15));
        var stale = get("/x");

        assertThat(stale.response().text()).isEqualTo("1");
        assertThat(parts(stale)).extracting(Part::outcome).containsExactly(CacheOutcome.STALE);
        assertThat(application.targets()).hasSize(2);
        assertThat(get("/x").response().text()).isEqualTo("2");
        assertThat(application.targets()).hasSize(2);
    }

    @Test
    void headIsTheApplicationsToAnswerUntilSomethingIsStored() {
        application.on("/x", reply(200, "", "Content-Length", "5", "Cache-Control", "max-age=60"));

        var response = ask("HEAD", "/x").response();

        assertThat(application.requests("/x").getFirst().method()).isEqualTo("HEAD");
        assertThat(response.field("Content-Length")).isEqualTo("5");
    }

    @Test
    void longBodyComesWhole() {
        application.on("/x", privately(LONG_TEXT));

        assertThat(get("/x").response().text()).isEqualTo(LONG_TEXT);
    }

    @Test
    void partOfWhatIsStoredIsSentToWhoAsksForAPart() {
        application.on("/x", reply(200, LONG_TEXT, "Cache-Control", "max-age=60", "ETag", "\"1\""));
        get("/x");

        var response = get("/x", "Range", "bytes=10-14").response();

        assertThat(response.status()).isEqualTo(206);
        assertThat(response.text()).isEqualTo("01234");
        assertThat(response.field("Content-Range")).isEqualTo("bytes 10-14/200000");
        assertThat(application.targets()).hasSize(1);
    }

    @Test
    void readerWhoTakesGzipGetsIt() throws IOException {
        application.on("/page", page(include("/part")));
        application.on("/part", fragment("max-age=60", LONG_TEXT));

        var response = get("/page", "Accept-Encoding", "gzip").response();

        assertThat(response.field("Content-Encoding")).isEqualTo("gzip");
        try (var plain = new GZIPInputStream(new ByteArrayInputStream(response.body().bytes()))) {
            assertThat(plain.readAllBytes()).asString(UTF_8).isEqualTo(LONG_TEXT);
        }
    }

    @Test
    void fragmentThatComesTooLateIsGivenUp() {
        var isLate = new CountDownLatch(1);
        var gaveUp = new CountDownLatch(1);
        application.on(
                "/page", page("<esi:include src=\"/slow\" maxwait=\"50\" alt=\"/instead\"/>"));
        application.on(
                "/slow",
                request -> {
                    try {
                        isLate.await();
                    } catch (InterruptedException notWaitedFor) {
                        gaveUp.countDown();
                    }
                    return fragment("max-age=60", "slow");
                });
        application.on("/instead", fragment("max-age=60", "instead"));

        var assembled = get("/page");

        assertThat(assembled.response().text()).isEqualTo("instead");
        assertThat(gaveUp.getCount()).isZero();
        assertThat(parts(assembled).get(1).outcome()).isEqualTo(CacheOutcome.FAILED);
        assertThat(parts(assembled).get(1).error()).contains("not complete within 50ms");
        assertThat(parts(assembled).get(2).target()).isEqualTo("/instead");
    }

    @Test
    void fragmentThatBreaksOffIsLeftOut() {
        application.on("/page", page("<" + include("/cut") + ">"));
        application.on(
                "/cut", new Reply.Cut(response(200, "whole", "Cache-Control", "max-age=60"), 2));

        var assembled = get("/page");

        assertThat(assembled.response().text()).isEqualTo("<>");
        assertThat(parts(assembled).get(1).error())
                .isEqualTo("origin truncated: the response is cut off after 2 bytes");
    }

    @Test
    void responseThatBreaksOffUnderItsReaderFailsTheTest() {
        application.on(
                "/x",
                new Reply.Cut(response(200, LONG_TEXT, "Cache-Control", "no-store"), 150_000));

        assertThatThrownBy(() -> get("/x"))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("the proxy did not send a complete response to GET /x: ");
    }

    @Test
    void applicationWithoutAnAnswerFailsAsItSays() {
        application.on("/page", page("<" + include("/x") + ">"));
        application.on("/x", new Reply.None("refused"));

        var assembled = get("/page");

        assertThat(assembled.response().text()).isEqualTo("<>");
        assertThat(parts(assembled).get(1).error()).isEqualTo("origin truncated: refused");
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

    @Test
    void closedProxyEndsWhatIsUnderWay() throws Exception {
        var asked = new CountDownLatch(1);
        var ended = new CountDownLatch(1);
        application.on(
                "/x",
                request -> {
                    asked.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException closed) {
                        ended.countDown();
                    }
                    return privately("x");
                });
        var reader = new FutureTask<>(() -> get("/x"));
        Thread.ofVirtual().start(reader);
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();

        surrogate.close();

        assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> reader.get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(AssertionError.class);
    }

    @Test
    void pausedFlowBringsNothingUntilItIsResumed() throws Exception {
        application.on("/x", privately(LONG_TEXT));
        try (var asked = new Asked(Duration.ofSeconds(20))) {
            var flow = asked.head.get(20, TimeUnit.SECONDS);
            assertThat(asked.bytes()).isZero();

            asked.onLoop(flow::resume);

            asked.over.get(20, TimeUnit.SECONDS);
            assertThat(asked.bytes()).isEqualTo(LONG_TEXT.length());
        }
    }

    @Test
    void cancelledFlowBringsNothingMore() throws Exception {
        application.on("/x", privately(LONG_TEXT));
        try (var asked = new Asked(Duration.ofSeconds(20))) {
            var flow = asked.head.get(20, TimeUnit.SECONDS);

            asked.onLoop(() -> {
                flow.cancel();
                flow.resume();
            });

            assertThat(asked.bytes()).isZero();
            assertThat(asked.over).isNotDone();
        }
    }

    @Test
    void applicationThatTakesTooLongIsGivenUp() throws Exception {
        var gaveUp = new CountDownLatch(1);
        application.on(
                "/x",
                request -> {
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException notWaitedFor) {
                        gaveUp.countDown();
                    }
                    return privately("x");
                });
        try (var asked = new Asked(Duration.ofMillis(50))) {
            var failure = asked.over.get(20, TimeUnit.SECONDS);

            assertThat(failure).hasToString("origin timeout: no response within 50ms");
            assertThat(gaveUp.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** One request for {@code /x}, whose flow pauses with the head. */
    private final class Asked implements ResponseSink, AutoCloseable {
        private final EventLoop loop = new DefaultEventLoop();
        private final CompletableFuture<BodyFlow> head = new CompletableFuture<>();

        /** How the response ended: null without a failure. */
        private final CompletableFuture<@Nullable Failure> over = new CompletableFuture<>();

        private int bytes;

        Asked(Duration patience) throws Exception {
            var calls = new ApplicationCalls(application, new Watch());
            var request =
                    new RequestHead(
                            "GET",
                            Scheme.HTTP,
                            InMemoryApplication.AUTHORITY,
                            "/x",
                            Fields.of("Host", InMemoryApplication.AUTHORITY));
            var origin = new ApplicationOrigin(calls, patience);
            onLoop(() ->
                    origin.fetch(
                            new OriginRequest(
                                    request,
                                    null,
                                    new ClientNetwork(false, 0),
                                    new OriginRequest.Affinity(0, 0)),
                            loop,
                            this));
        }

        void onLoop(Runnable step) throws Exception {
            loop.submit(step).get(20, TimeUnit.SECONDS);
        }

        int bytes() throws Exception {
            return loop.submit(() -> bytes).get(20, TimeUnit.SECONDS);
        }

        @Override
        public void head(ResponseHead response, BodyFlow flow) {
            flow.pause();
            head.complete(flow);
        }

        @Override
        public void data(ByteBuf data) {
            bytes += data.readableBytes();
            data.release();
        }

        @Override
        public void end() {
            over.complete(null);
        }

        @Override
        public void failed(Failure failure) {
            over.complete(failure);
        }

        @Override
        public void close() {
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
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

    private static List<Part> parts(Assembled assembled) {
        return assembled.parts().orElseThrow();
    }
}
