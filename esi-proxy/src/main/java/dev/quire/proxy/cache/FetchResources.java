package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.ResponseTimes;
import dev.quire.proxy.exchange.Time;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The objects shared by all fetches. */
record FetchResources(
        PageStore store,
        LowerTiers tiers,
        HitForMiss hitForMiss,
        RefreshPauses refreshPauses,
        InFlightBudget transit,
        HeadBytes heads,
        Time time,
        CacheEvents events) {

    /**
     * The times of an exchange whose request was sent at {@code requestedAt}; its head arrived now.
     */
    ResponseTimes timesSince(Instant requestedAt) {
        return new ResponseTimes(requestedAt, time.now(), time.originWall(), time.steadyWall());
    }

    /**
     * Runs all {@code steps} at the end of the fetch of {@code key}. If one fails, the sinks that
     * wait must be answered nevertheless.
     */
    void guarded(CacheKey key, Runnable... steps) {
        for (var step : steps) {
            try {
                step.run();
            } catch (RuntimeException | Error bug) {
                events.bug(key, bug);
            }
        }
    }

    /**
     * Drops {@code stale}, a response of a route with {@code rules}: a newer one supersedes it.
     *
     * @param newer that one if it is stored; else null
     */
    void supersede(StoredResponse stale, @Nullable StoredResponse newer, RouteCacheRules rules) {
        store.supersede(stale);
        tiers.remove(stale, newer, rules);
    }
}
