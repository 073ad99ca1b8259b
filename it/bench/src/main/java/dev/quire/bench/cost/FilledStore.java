package dev.quire.bench.cost;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.bench.MeasuredCache;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.exchange.Time;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.time.Instant;

/** A store with many small responses, stored as if fetched. Its clock is fixed. */
final class FilledStore implements AutoCloseable {
    static final int KEYS = 10_000;
    static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    static final Duration LIFETIME = Duration.ofMinutes(10);

    private static final int BODY_BYTES = 512;
    private static final long STORE_BYTES = 256 << 20;
    private static final Fields HEAD =
            Fields.of(
                    "Date", "Thu, 01 Jan 2026 12:00:00 GMT",
                    "Content-Type", "text/html;charset=utf-8",
                    "Content-Length", String.valueOf(BODY_BYTES),
                    "Cache-Control", "max-age=" + LIFETIME.toSeconds(),
                    "Vary", "Accept-Language",
                    "ETag", "\"1\"");

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

    private final MeasuredCache cache = new MeasuredCache(STORE_BYTES, STOPPED);

    private FilledStore() {}

    /** Fills a store with two variants, in {@link #language} 0 and 1, of each {@link #key}. */
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
        return cache.store();
    }

    static CacheKey key(int number) {
        return new CacheKey(Scheme.HTTP, "news.example", "/article/" + number + "?edition=night");
    }

    static String language(int variant) {
        return variant == 0 ? "de-CH,de;q=0.9,en;q=0.5" : "en;q=0.9";
    }

    @Override
    public void close() {
        cache.close();
    }

    private void fetchAll(EventLoop loop) {
        for (int i = 0; i < KEYS; i++) {
            for (int variant = 0; variant < 2; variant++) {
                var key = key(i);
                var request =
                        new RequestHead(
                                "GET",
                                key.scheme(),
                                key.authority(),
                                key.target(),
                                Fields.of("Accept-Language", language(variant)));
                var body = Unpooled.copiedBuffer("x".repeat(BODY_BYTES), US_ASCII);
                cache.fetch(loop, request, HEAD, body);
            }
        }
        if (store().size() != KEYS) {
            throw new IllegalStateException(
                    "expected " + KEYS + " keys to be stored, found " + store().size());
        }
    }
}
