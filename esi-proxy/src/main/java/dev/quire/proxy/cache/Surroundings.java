package dev.quire.proxy.cache;

import dev.quire.core.policy.Moments;
import dev.quire.proxy.exchange.Time;
import java.time.Instant;

/** The objects shared by all fetches. */
record Surroundings(
        PageStore store,
        HitForMiss hitForMiss,
        RefreshPauses refreshPauses,
        Transit transit,
        HeadBytes heads,
        Time time,
        CacheEvents events) {

    /**
     * The times of an exchange whose request was sent at {@code requestedAt} and whose head arrives
     * now.
     */
    Moments momentsSince(Instant requestedAt) {
        return new Moments(requestedAt, time.now(), time.originWall(), time.steadyWall());
    }
}
