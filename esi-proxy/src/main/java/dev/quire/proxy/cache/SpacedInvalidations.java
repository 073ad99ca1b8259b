package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.exchange.Time;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Invalidates a URL at most once a second, so that frequent logins that redirect to one page do not
 * keep it out of the cache. Invalidations within a second of the last one become a single one at
 * its end. Thread-safe; beyond a limit in memory some URLs are invalidated more often.
 */
public final class SpacedInvalidations {
    private static final long SPACE_NANOS = Time.NANOS_A_SECOND;

    private final PageStore store;
    private final Time time;
    private final Cache<CacheKey, Last> notes;

    /**
     * @param ticks when the URL was invalidated
     * @param isRepeated whether it will be invalidated again
     */
    private record Last(long ticks, boolean isRepeated) {}

    public SpacedInvalidations(PageStore store, Time time) {
        this.store = store;
        this.time = time;
        this.notes =
                KeyNotes.builder()
                        .expireAfterWrite(SPACE_NANOS, TimeUnit.NANOSECONDS)
                        .ticker(time::ticks)
                        .build();
    }

    /**
     * Invalidates {@code key} now, or up to one second later.
     *
     * @param later runs what is due later
     */
    public void invalidate(CacheKey key, ScheduledExecutorService later) {
        long now = time.ticks();
        var last = notes.asMap().putIfAbsent(key, new Last(now, false));
        if (last == null) {
            store.invalidate(key, null);
            return;
        }
        long elapsed = now - last.ticks();
        if (last.isRepeated()) {
            return;
        }
        if (notes.asMap().replace(key, last, new Last(last.ticks(), true))) {
            later.schedule(
                    () -> repeat(key), Math.max(SPACE_NANOS - elapsed, 0), TimeUnit.NANOSECONDS);
        } else {
            // The note has expired or was changed by another loop.
            invalidate(key, later);
        }
    }

    private void repeat(CacheKey key) {
        notes.put(key, new Last(time.ticks(), false));
        store.invalidate(key, null);
    }
}
