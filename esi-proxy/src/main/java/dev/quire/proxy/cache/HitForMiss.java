package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import dev.quire.core.policy.CacheKey;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * Notes of keys whose last response was not cacheable, so that requests for them are not coalesced.
 * Limited in memory: a key whose note is evicted is coalesced once more.
 */
public final class HitForMiss {
    private enum Note {
        ALL,
        /** The response may be cacheable, but its length is not known, or it was not admitted. */
        PARTS
    }

    private final Cache<CacheKey, Note> notes;

    /**
     * @param keep how long a note is kept
     * @param now monotonic
     */
    public HitForMiss(Duration keep, Supplier<Instant> now) {
        this.notes =
                KeyNotes.builder()
                        .expireAfterWrite(keep)
                        .ticker(() -> PageStore.nanos(now.get()))
                        .build();
    }

    /** Changes how long a note is kept, also for those made before. */
    public void keepFor(Duration keep) {
        notes.policy()
                .expireAfterWrite()
                .orElseThrow(() -> new IllegalStateException("the notes do not expire"))
                .setExpiresAfter(keep);
    }

    /**
     * Whether a request for {@code key} is not coalesced, since the last response was not cacheable
     * and its note lasts.
     *
     * @param isForPart whether a part is requested
     */
    public boolean isNoted(CacheKey key, boolean isForPart) {
        var note = notes.getIfPresent(key);
        return note == Note.ALL || (note == Note.PARTS && isForPart);
    }

    void note(CacheKey key) {
        notes.put(key, Note.ALL);
    }

    /** Notes {@code key} for requests for a part only; others are still coalesced. */
    void noteForParts(CacheKey key) {
        notes.put(key, Note.PARTS);
    }

    void forget(CacheKey key) {
        notes.invalidate(key);
    }
}
