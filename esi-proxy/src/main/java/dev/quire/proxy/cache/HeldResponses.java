package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Responses that readers find although the memory may not have them: on their way to or from a
 * lower tier, or in use by a fetch that validates them. Thread-safe.
 */
final class HeldResponses {
    private final ConcurrentMap<CacheKey, Held> byKey = new ConcurrentHashMap<>();

    /** Also those whose responses are replaced. */
    private final Set<Hold> all = ConcurrentHashMap.newKeySet();

    private final InFlightBudget transit;

    /**
     * Those of one key. For each response there is at least one hold: its own, or that of another
     * one for the same requests, which it has replaced.
     */
    private record Held(Variants variants, List<Hold> holds) {}

    /** One reason to keep a response. Has a reference of its own. */
    static final class Hold {
        private final StoredResponse response;
        private volatile boolean isReplaced;

        private Hold(StoredResponse response) {
            this.response = response;
        }

        StoredResponse response() {
            return response;
        }

        /** Whether the response was replaced or hidden: readers no longer find it. */
        boolean isReplaced() {
            return isReplaced;
        }
    }

    /**
     * @param transit accounts for responses that are still read when they are let go
     */
    HeldResponses(InFlightBudget transit) {
        this.transit = transit;
    }

    boolean isEmpty() {
        return byKey.isEmpty();
    }

    /**
     * Holds {@code response} until {@link #release}; the caller has a reference. Replaces what it
     * replaces in a lower tier, unless that is newer: then this one is replaced at once.
     */
    Hold hold(StoredResponse response) {
        if (!response.tryRetain()) {
            throw new IllegalStateException("a released response cannot be held");
        }
        var hold = new Hold(response);
        all.add(hold);
        var change = new Change();
        byKey.compute(
                response.key(),
                (key, before) -> {
                    var after =
                            Variants.with(
                                    variants(before),
                                    response,
                                    each -> RecordVariants.haveOnePlace(each, response));
                    return change.of(before, after, plus(before, hold));
                });
        change.end();
        return hold;
    }

    /** Like {@link #hold}; takes over the reference. */
    Hold held(StoredResponse response) {
        var hold = hold(response);
        response.release();
        return hold;
    }

    private static List<Hold> plus(@Nullable Held before, Hold hold) {
        if (before == null) {
            return List.of(hold);
        }
        var holds = new ArrayList<>(before.holds());
        holds.add(hold);
        return holds;
    }

    /** Ends {@code hold}. */
    void release(Hold hold) {
        if (!all.remove(hold)) {
            return;
        }
        var change = new Change();
        byKey.computeIfPresent(
                hold.response().key(),
                (key, before) -> {
                    if (!before.holds().contains(hold)) {
                        return before;
                    }
                    var holds = new ArrayList<>(before.holds());
                    holds.remove(hold);
                    return change.without(before, response -> isUnheld(response, holds), holds);
                });
        change.end();
        hold.response().release();
    }

    private static boolean isUnheld(StoredResponse response, List<Hold> holds) {
        return holds.stream()
                .noneMatch(each -> RecordVariants.haveOnePlace(each.response(), response));
    }

    /** Ends all holds. */
    void clear() {
        all.forEach(this::release);
    }

    /** Lets those under {@code key} go for which {@code condition} holds: they are outdated. */
    void drop(CacheKey key, Predicate<StoredResponse> condition) {
        if (!byKey.isEmpty()) {
            var change = new Change();
            byKey.computeIfPresent(
                    key, (same, before) -> change.without(before, condition, before.holds()));
            change.end();
        }
    }

    /** Whether a newer response than {@code response} is held for the same requests. */
    boolean hasNewerThan(StoredResponse response) {
        var held = byKey.get(response.key());
        return held != null && held.variants().hasNewerThan(response);
    }

    /** Returns the response that matches {@code request}, with a reference for the caller. */
    @Nullable StoredResponse find(CacheKey key, VariantRequest request) {
        while (true) {
            var held = byKey.isEmpty() ? null : byKey.get(key);
            var match = held == null ? null : held.variants().match(request);
            // One that was let go since the look-up is not found again.
            if (match == null || match.tryRetain()) {
                return match;
            }
        }
    }

    /** Shows all, not retained; they may be let go meanwhile. */
    void forEach(Consumer<StoredResponse> visitor) {
        byKey.values().forEach(held -> held.variants().forEach(visitor));
    }

    private static @Nullable Variants variants(@Nullable Held held) {
        return held == null ? null : held.variants();
    }

    /**
     * One change of the responses of a key. It lets responses go only after readers cannot find
     * them any more.
     */
    private final class Change {
        private @Nullable Variants former;

        private @Nullable Held without(
                Held before, Predicate<StoredResponse> gone, List<Hold> holds) {
            return of(
                    before,
                    before.variants().changed(each -> gone.test(each) ? null : each),
                    holds);
        }

        private @Nullable Held of(
                @Nullable Held before, @Nullable Variants after, List<Hold> holds) {
            var left = variants(before);
            former = left == null || left.equals(after) ? null : left;
            for (var hold : holds) {
                if (after == null || !after.has(hold.response())) {
                    hold.isReplaced = true;
                }
            }
            return after == null ? null : new Held(after, List.copyOf(holds));
        }

        /** The readers' map has the result. */
        private void end() {
            if (former != null) {
                former.release(transit);
            }
        }
    }
}
