package dev.quire.proxy.cache;

import dev.quire.core.http.RequestHead;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The stored responses of one key, that with the newest Date first (RFC 9111 §4). Holds one
 * reference of each. Immutable: a change makes another one, which takes references of its own.
 */
record Variants(List<StoredResponse> responses) {

    /** More variants than this under one key, and the oldest goes. */
    static final int MAX_VARIANTS = 64;

    Variants {
        responses = List.copyOf(responses);
        responses.forEach(StoredResponse::entersStore);
    }

    /** The newest response that answers {@code request}; not retained. */
    @Nullable StoredResponse match(RequestHead request) {
        for (int i = 0; i < responses.size(); i++) {
            var response = responses.get(i);
            if (response.selecting().matches(request)) {
                return response;
            }
        }
        return null;
    }

    /**
     * {@code before} with {@code added}, in place of the one for the same selecting fields; {@code
     * before} itself when that one is newer, for answers may overtake one another.
     */
    static Variants with(@Nullable Variants before, StoredResponse added) {
        if (before == null) {
            return retained(List.of(added));
        }
        if (before.count(response -> response.isNewerThan(added)) > 0) {
            return before;
        }
        var kept = new ArrayList<StoredResponse>();
        for (var response : before.responses) {
            if (kept.size() < MAX_VARIANTS - 1 && !response.selecting().equals(added.selecting())) {
                kept.add(response);
            }
        }
        int newer = 0;
        while (newer < kept.size() && kept.get(newer).date().isAfter(added.date())) {
            newer++;
        }
        kept.add(newer, added);
        return retained(kept);
    }

    /** The ones {@code dropped} does not hold for; null when none is left. */
    @Nullable Variants without(Predicate<StoredResponse> dropped) {
        var kept = responses.stream().filter(dropped.negate()).toList();
        return kept.isEmpty() ? null : retained(kept);
    }

    /** The same, with those {@code covered} holds for made stale at {@code now}. */
    Variants expiredAt(Instant now, Predicate<StoredResponse> covered) {
        return new Variants(
                responses.stream()
                        .map(response ->
                                covered.test(response)
                                        ? response.with(response.freshness().expiredAt(now))
                                        : retained(response))
                        .toList());
    }

    /** How many of them {@code condition} holds for. */
    int count(Predicate<StoredResponse> condition) {
        return (int) responses.stream().filter(condition).count();
    }

    long weightBytes() {
        return responses.stream().mapToLong(StoredResponse::weightBytes).sum();
    }

    /** Gives its references back; what readers still hold is then {@code transit}'s to count. */
    void release(Transit transit) {
        responses.forEach(response -> response.leavesStore(transit));
    }

    /** Called where the store holds the responses, so none of them can be gone. */
    private static Variants retained(List<StoredResponse> responses) {
        responses.forEach(Variants::retained);
        return new Variants(responses);
    }

    private static StoredResponse retained(StoredResponse response) {
        if (!response.tryRetain()) {
            throw new IllegalStateException("a held response was gone: " + response.key());
        }
        return response;
    }
}
