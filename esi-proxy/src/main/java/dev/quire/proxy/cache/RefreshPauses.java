package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import dev.quire.core.policy.CacheKey;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * Exponential backoff for failed background refreshes, by key: one second after the first failure,
 * doubled with each further one, up to 30 seconds. So an unhealthy origin does not receive a
 * refresh for every stale hit. Thread-safe; beyond a limit in memory some notes are evicted.
 */
final class RefreshPauses {
    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(30);

    /** After this time without a failure the backoff starts over. */
    private static final Duration FORGOTTEN_AFTER = LONGEST.multipliedBy(2);

    private final Cache<CacheKey, Pause> pauses;
    private final Supplier<Instant> now;

    private record Pause(Instant end, Duration length) {}

    /**
     * @param now monotonic
     */
    RefreshPauses(Supplier<Instant> now) {
        this.now = now;
        this.pauses =
                KeyNotes.builder()
                        .expireAfterWrite(FORGOTTEN_AFTER)
                        .ticker(() -> PageStore.nanos(now.get()))
                        .build();
    }

    /** Whether {@code key} must not be refreshed now. */
    boolean isOn(CacheKey key) {
        var pause = pauses.getIfPresent(key);
        return pause != null && now.get().isBefore(pause.end());
    }

    /** Records that a refresh of {@code key} has failed. */
    void begin(CacheKey key) {
        var from = now.get();
        pauses.asMap()
                .compute(
                        key,
                        (same, last) -> {
                            var length = last == null ? FIRST : twice(last.length());
                            return new Pause(from.plus(length), length);
                        });
    }

    /** Records that a response for {@code key} was stored. */
    void end(CacheKey key) {
        pauses.invalidate(key);
    }

    private static Duration twice(Duration length) {
        var longer = length.multipliedBy(2);
        return longer.compareTo(LONGEST) > 0 ? LONGEST : longer;
    }
}
