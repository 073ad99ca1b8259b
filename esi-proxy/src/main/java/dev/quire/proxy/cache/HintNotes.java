package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.EarlyHints;
import dev.quire.core.policy.SelectingFields;
import dev.quire.core.policy.SentRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Notes the links of the last stored response of each variant, for a 103 (Early Hints) while the
 * next one is awaited. A purge forgets the notes that it covers, and a ban all earlier ones.
 * Thread-safe; beyond a limit in memory some notes are evicted.
 */
public final class HintNotes {
    /** The oldest notes of a URL are dropped beyond this number. */
    static final int MAX_VARIANTS = 16;

    /** Links name files that a later release of the site may not have. */
    static final Duration KEPT = Duration.ofDays(1);

    private static final long NO_GROUPS = -1;

    private final Cache<CacheKey, List<Note>> notes;
    private final BanList bans;
    private final GroupInvalidations groups;

    /** Routes that do not remember hints need no look-ups. */
    private volatile boolean isUsed;

    /**
     * The state of bans and invalidations before a response was tested against them. A note is
     * valid as long as that is the newest.
     */
    record Age(long ban, long groups) {}

    /** The links of one variant. */
    private record Note(
            CacheKey key,
            SelectingFields selecting,
            List<String> links,
            List<String> tags,
            Age age) {

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

    HintNotes(BanList bans, GroupInvalidations groups, PageStore.Ticks ticks) {
        this.bans = bans;
        this.groups = groups;
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

    /** Returns the current state, before a response is tested. */
    Age age(StoredResponse response) {
        return new Age(bans.newest(), response.groups().isEmpty() ? NO_GROUPS : groups.newest());
    }

    private boolean isValid(Note note) {
        var age = note.age();
        return age.ban() == bans.newest()
                && (age.groups() == NO_GROUPS || age.groups() == groups.newest());
    }

    /**
     * Replaces the note of the same variant. Called when {@code response} enters the store.
     *
     * @param request for which it was fetched
     */
    void note(StoredResponse response, RequestHead request, Age age) {
        var links = EarlyHints.remembered(request, response.head());
        if (links.isEmpty()) {
            if (isUsed) {
                change(response.key().ofUrl(), note -> note.isOf(response), null);
            }
            return;
        }
        isUsed = true;
        var added = new Note(response.key(), response.selecting(), links, response.tags(), age);
        change(response.key().ofUrl(), note -> note.isOf(response), added);
    }

    /** Forgets the variant under {@code key} that matches {@code request}. */
    void forget(CacheKey key, SentRequest request) {
        if (isUsed) {
            change(
                    key.ofUrl(),
                    note -> note.key().equals(key) && request.isSelectedBy(note.selecting()),
                    null);
        }
    }

    /** Forgets all variants of the URL of {@code key}. */
    void forget(CacheKey key) {
        if (isUsed) {
            notes.invalidate(key.ofUrl());
        }
    }

    /** Forgets what {@code purge} covers. Walks through the notes unless it names only URLs. */
    void forget(Purge purge) {
        if (purge.isOfUrls()) {
            purge.keys().forEach(this::forget);
        } else if (isUsed) {
            for (var url : notes.asMap().keySet()) {
                change(url, note -> purge.covers(note.key(), note.tags()), null);
            }
        }
    }

    private void change(CacheKey url, Predicate<Note> dropped, @Nullable Note added) {
        notes.asMap()
                .compute(
                        url,
                        (same, before) -> {
                            var kept = new ArrayList<Note>();
                            if (added != null) {
                                kept.add(added);
                            }
                            for (var note : before == null ? List.<Note>of() : before) {
                                if (kept.size() < MAX_VARIANTS && !dropped.test(note)) {
                                    kept.add(note);
                                }
                            }
                            return kept.isEmpty() ? null : List.copyOf(kept);
                        });
    }
}
