package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.EarlyHints;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.SentRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Notes the links of the last stored response of each variant, for a 103 (Early Hints) while the
 * next one is awaited. An invalidation hides the notes that it covers, and a ban all earlier ones.
 * Thread-safe; beyond a limit in memory some notes are evicted.
 */
public final class HintNotes {
    /** The oldest notes of a URL are dropped beyond this number. */
    static final int MAX_VARIANTS = 16;

    /** Links name files that a later release of the site may not have. */
    static final Duration KEPT = Duration.ofDays(1);

    private final Cache<CacheKey, List<Note>> notes;
    private final Invalidations invalidations;

    /** Routes that do not remember hints need no look-ups. */
    private volatile boolean isUsed;

    /**
     * The links of one variant.
     *
     * @param testedUpTo the newest of the invalidations up to which none covers the response
     */
    private record Note(
            CacheKey key,
            SelectingFields selecting,
            List<String> links,
            List<String> tags,
            AtomicLong testedUpTo) {

        boolean isOf(StoredResponse response) {
            return key.equals(response.key()) && selecting.equals(response.selecting());
        }

        long bytes() {
            long sum =
                    Footprint.key(key)
                            + Footprint.list(links.size())
                            + Footprint.list(tags.size())
                            + Footprint.list(selecting.fields().size());
            for (var link : links) {
                sum += Footprint.string(link);
            }
            for (var tag : tags) {
                sum += Footprint.string(tag);
            }
            for (var field : selecting.fields()) {
                sum += Footprint.SELECTING_BYTES + Footprint.string(field.value());
            }
            return sum;
        }
    }

    HintNotes(Invalidations invalidations, PageStore.Ticks ticks) {
        this.invalidations = invalidations;
        this.notes =
                KeyNotes.builder(HintNotes::bytes)
                        .expireAfterWrite(KEPT)
                        .ticker(ticks::nanos)
                        .build();
    }

    private static long bytes(List<Note> variants) {
        long sum = 0;
        for (var note : variants) {
            sum += note.bytes();
        }
        return sum;
    }

    /** Returns the links of the variant under {@code key} that matches {@code request}. */
    public List<String> of(CacheKey key, VariantRequest request) {
        var variants = isUsed ? notes.getIfPresent(key.ofUrl()) : null;
        if (variants != null) {
            for (var note : variants) {
                if (note.key().equals(key) && request.isSelectedBy(note.selecting())) {
                    return isValid(note) ? note.links() : List.of();
                }
            }
        }
        return List.of();
    }

    private boolean isValid(Note note) {
        var subject = new InvalidationSubject(note.key(), note.tags(), null);
        long upTo = invalidations.newest();
        if (invalidations.cover(subject, note.testedUpTo().get())) {
            return false;
        }
        note.testedUpTo().accumulateAndGet(upTo, Math::max);
        return true;
    }

    /**
     * Replaces the note of the same variant. Called when {@code response} enters the store.
     *
     * @param request for which it was fetched
     */
    void note(StoredResponse response, RequestHead request) {
        var links = EarlyHints.remembered(request, response.head());
        if (links.isEmpty()) {
            if (isUsed) {
                drop(response.key().ofUrl(), note -> note.isOf(response));
            }
            return;
        }
        isUsed = true;
        var added =
                new Note(
                        response.key(),
                        response.selecting(),
                        links,
                        response.tags(),
                        new AtomicLong(response.testedUpTo()));
        change(
                response.key().ofUrl(),
                before ->
                        Stream.concat(
                                        Stream.of(added),
                                        before.stream().filter(note -> !note.isOf(response)))
                                .limit(MAX_VARIANTS));
    }

    /** Forgets the variant under {@code key} that matches {@code request}. */
    void forget(CacheKey key, SentRequest request) {
        if (isUsed) {
            drop(
                    key.ofUrl(),
                    note -> note.key().equals(key) && request.isSelectedBy(note.selecting()));
        }
    }

    /** Tests all notes, and drops the hidden ones. */
    void sweep() {
        notes.asMap()
                .forEach((url, variants) -> {
                    if (variants.stream().filter(this::isValid).count() < variants.size()) {
                        drop(url, note -> !isValid(note));
                    }
                });
    }

    private void drop(CacheKey url, Predicate<Note> dropped) {
        change(url, before -> before.stream().filter(dropped.negate()));
    }

    private void change(CacheKey url, Function<List<Note>, Stream<Note>> change) {
        notes.asMap()
                .compute(
                        url,
                        (same, before) -> {
                            var kept = change.apply(before == null ? List.of() : before).toList();
                            return kept.isEmpty() ? null : kept;
                        });
    }
}
