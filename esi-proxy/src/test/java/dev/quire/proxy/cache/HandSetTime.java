package dev.quire.proxy.cache;

import java.time.Duration;
import java.time.Instant;

/** Both clocks of the cache, moved by hand. */
final class HandSetTime {
    static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");

    private volatile Instant now = NOON;

    Instant now() {
        return now;
    }

    void pass(Duration time) {
        now = now.plus(time);
    }
}
