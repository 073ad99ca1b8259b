package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.quire.core.policy.CacheKey;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * Keys whose last refresh has failed, and how long they are not refreshed again: a second after the
 * first failure, twice as long after each further one, at most half a minute. So an origin that is
 * ill is not asked by everybody who is served something stale meanwhile. Safe for all threads; what
 * is noted least lately goes first.
 */
final class RefreshPauses {
    private static final long MAX_NOTES = 100_000;
    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(30);

    /** Whoever has failed no more for so long starts anew. */
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
                Caffeine.newBuilder()
                        .maximumSize(MAX_NOTES)
                        .expireAfterWrite(FORGOTTEN_AFTER)
                        .ticker(() -> PageStore.nanos(now.get()))
                        .executor(Runnable::run)
                        .build();
    }

    /** Whether {@code key} is not to be refreshed now. */
    boolean isOn(CacheKey key) {
        var pause = pauses.getIfPresent(key);
        return pause != null && now.get().isBefore(pause.end());
    }

    /** A refresh of {@code key} has failed. */
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

    /** An answer for {@code key} has been stored. */
    void end(CacheKey key) {
        pauses.invalidate(key);
    }

    private static Duration twice(Duration length) {
        var longer = length.multipliedBy(2);
        return longer.compareTo(LONGEST) > 0 ? LONGEST : longer;
    }
}
