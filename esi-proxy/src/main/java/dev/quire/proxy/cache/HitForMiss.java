package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.StorageRefusal;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * Notes of keys whose last response was not cacheable, so that requests for them are not coalesced.
 * Limited in memory: a key whose note is evicted is coalesced once more.
 */
public final class HitForMiss {
    /** The requests that are not coalesced. */
    private enum Note {
        ALL,
        /** The response may be cacheable, but its length is not known, or it was not admitted. */
        PARTS,
        WITH_COOKIE,
        WITH_AUTHORIZATION
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
     * @param request the fields of the request
     * @param isForPart whether a part is requested
     */
    public boolean isNoted(CacheKey key, Fields request, boolean isForPart) {
        return switch (notes.getIfPresent(key)) {
            case ALL -> true;
            case PARTS -> isForPart;
            case WITH_COOKIE -> request.contains("Cookie");
            case WITH_AUTHORIZATION -> request.contains("Authorization");
            case null -> false;
        };
    }

    /**
     * Notes that a response was not stored. Requests for which the reason does not hold are still
     * coalesced.
     */
    void note(CacheKey key, StorageRefusal reason) {
        switch (reason) {
            // The next response may be cacheable.
            case TRANSIT, LARGE_REQUEST -> {}
            case UNKNOWN_LENGTH, ADMISSION -> notes.put(key, Note.PARTS);
            case VARY_COOKIE -> noteSome(key, Note.WITH_COOKIE);
            case AUTHORIZATION -> noteSome(key, Note.WITH_AUTHORIZATION);
            default -> notes.put(key, Note.ALL);
        }
    }

    private void noteSome(CacheKey key, Note note) {
        notes.asMap().merge(key, note, (before, now) -> before == Note.ALL ? before : now);
    }

    void forget(CacheKey key) {
        notes.invalidate(key);
    }
}
