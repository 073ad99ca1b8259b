package dev.quire.bench.cost;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.parse.ParsedPage;
import dev.quire.core.parse.Reading;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Compression;
import dev.quire.core.policy.RefusalReason;
import dev.quire.core.policy.Settings;
import dev.quire.core.policy.Verdict;
import dev.quire.proxy.cache.AnswerSink;
import dev.quire.proxy.cache.CacheEvents;
import dev.quire.proxy.cache.Coalescer;
import dev.quire.proxy.cache.DocumentRules;
import dev.quire.proxy.cache.HitForMiss;
import dev.quire.proxy.cache.IntakeRules;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.cache.Transit;
import dev.quire.proxy.deliver.StoredHeads;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.ResponseSink;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.route.EsiMode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;

/** A store with many small responses, which came as from an origin. Its clock stands still. */
final class FilledStore implements AutoCloseable {
    static final int KEYS = 10_000;
    static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    /** It is noon all the time. */
    private static final Time STOPPED =
            new Time() {
                @Override
                public Instant now() {
                    return NOON;
                }

                @Override
                public Instant wall() {
                    return NOON;
                }
            };

    static final Duration LIFETIME = Duration.ofMinutes(10);

    private static final int BODY_BYTES = 512;
    private static final long STORE_BYTES = 256 << 20;
    private static final long OBJECT_BYTES = 1 << 20;
    private static final IntakeRules RULES =
            new IntakeRules(
                    Settings.DEFAULT,
                    EsiMode.AUTO,
                    new DocumentRules(
                            Set.of("text/html"),
                            ReferenceResolver.OWN_AUTHORITY,
                            OBJECT_BYTES,
                            1,
                            Reading.STANDARD,
                            false),
                    OBJECT_BYTES);

    private final Transit transit = new Transit(STORE_BYTES);
    private final PageStore store = new PageStore(STORE_BYTES, transit, () -> NOON);

    private FilledStore() {}

    /** Fills one with two variants, in {@link #language} 0 and 1, of each {@link #key}. */
    static FilledStore fill() {
        var filled = new FilledStore();
        var loop = new DefaultEventLoop();
        try {
            loop.submit(() -> filled.fetchAll(loop)).syncUninterruptibly();
        } finally {
            loop.shutdownGracefully();
        }
        return filled;
    }

    PageStore store() {
        return store;
    }

    static CacheKey key(int number) {
        return new CacheKey(Scheme.HTTP, "news.example", "/article/" + number + "?edition=night");
    }

    static String language(int variant) {
        return variant == 0 ? "de-CH,de;q=0.9,en;q=0.5" : "en;q=0.9";
    }

    @Override
    public void close() {
        store.close();
    }

    private void fetchAll(EventLoop loop) {
        var coalescer =
                new Coalescer(
                        store,
                        new HitForMiss(Duration.ofMinutes(2), () -> NOON),
                        transit,
                        new StoredHeads(Compression.ESI),
                        STOPPED,
                        new Uncounted());
        for (int i = 0; i < KEYS; i++) {
            for (int variant = 0; variant < 2; variant++) {
                fetch(coalescer, loop, key(i), variant);
            }
        }
        if (store.size() != KEYS) {
            throw new IllegalStateException(
                    "expected " + KEYS + " keys to be stored, found " + store.size());
        }
    }

    private static void fetch(Coalescer coalescer, EventLoop loop, CacheKey key, int variant) {
        var request =
                new RequestHead(
                        "GET",
                        key.scheme(),
                        key.authority(),
                        key.target(),
                        Fields.of("Accept-Language", language(variant)));
        coalescer.fetchAlone(
                key, (conditions, sink) -> answer(sink), RULES, new Dropping(loop, request));
    }

    private static BodyFlow answer(ResponseSink sink) {
        var flow = new Whole();
        sink.head(
                new ResponseHead(
                        200,
                        "OK",
                        Fields.of(
                                "Date", "Thu, 01 Jan 2026 12:00:00 GMT",
                                "Content-Type", "text/html;charset=utf-8",
                                "Content-Length", String.valueOf(BODY_BYTES),
                                "Cache-Control", "max-age=" + LIFETIME.toSeconds(),
                                "Vary", "Accept-Language",
                                "ETag", "\"1\"")),
                flow);
        sink.data(Unpooled.copiedBuffer("x".repeat(BODY_BYTES), US_ASCII));
        sink.end();
        return flow;
    }

    /** A body that is there at once: there is nothing to slow down. */
    private record Whole() implements BodyFlow {
        @Override
        public void pause() {}

        @Override
        public void resume() {}

        @Override
        public void cancel() {}
    }

    /** Wants nothing of the answer but that it is stored. */
    private record Dropping(EventLoop loop, RequestHead request) implements AnswerSink {
        @Override
        public boolean wantsWhole() {
            return true;
        }

        @Override
        public void head(ResponseHead head, BodyFlow flow) {
            throw new IllegalStateException("expected to be stored, found " + head);
        }

        @Override
        public void data(ByteBuf data) {
            data.release();
        }

        @Override
        public void end() {}

        @Override
        public void stored(StoredResponse response) {
            response.release();
        }

        @Override
        public void rest(StoredResponse response, int from) {
            response.release();
        }

        @Override
        public void failed(Failure failure) {
            throw new IllegalStateException("expected an answer, found " + failure);
        }

        @Override
        public void alone() {
            throw new IllegalStateException("expected a fetch of its own");
        }

        @Override
        public void again() {
            throw new IllegalStateException("expected a fetch of its own");
        }

        @Override
        public void failed(RuntimeException bug) {
            throw bug;
        }
    }

    /** Counts nothing. */
    private static final class Uncounted implements CacheEvents {
        @Override
        public void judged(String route, Verdict verdict) {}

        @Override
        public void uncacheable(RefusalReason reason) {
            throw new IllegalStateException("expected to be stored, found " + reason);
        }

        @Override
        public void parsed(CacheKey key, ParsedPage page, boolean isStrict) {}

        @Override
        public void coalesced() {}

        @Override
        public void bug(CacheKey key, RuntimeException bug) {
            throw bug;
        }

        @Override
        public void refreshed(Refresh outcome) {}
    }
}
