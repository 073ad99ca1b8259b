package dev.quire.proxy.cache;

import dev.quire.proxy.exchange.Time;
import java.time.Duration;
import java.time.Instant;

/** Both clocks of the cache, moved by hand. */
final class HandSetTime implements Time {
    static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");

    private volatile Instant now = NOON;

    @Override
    public Instant now() {
        return now;
    }

    @Override
    public Instant wall() {
        return now;
    }

    void pass(Duration time) {
        now = now.plus(time);
    }
}
