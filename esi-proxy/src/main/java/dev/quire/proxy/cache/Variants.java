package dev.quire.proxy.cache;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The stored responses of one key, the one with the newest Date first (RFC 9111 §4). Holds one
 * reference of each. Immutable: each change creates a new object, which takes its own references.
 */
final class Variants {

    /** The oldest variants of a key are dropped beyond this number. */
    static final int MAX_VARIANTS = 64;

    private static final Duration CLOCKS_DIFFER = Duration.ofSeconds(1);

    private final StoredResponse newest;
    private final List<StoredResponse> others;

    /**
     * @param responses at least one
     */
    private Variants(List<StoredResponse> responses) {
        this.newest = responses.getFirst();
        this.others = List.copyOf(responses.subList(1, responses.size()));
        forEach(StoredResponse::entersStore);
    }

    /**
     * Returns the newest response that matches {@code request}, not retained, or null. One in a
     * content coding that it accepts precedes those that must be decoded.
     */
    @Nullable StoredResponse match(VariantRequest request) {
        StoredResponse coded = null;
        for (int i = -1; i < others.size(); i++) {
            var response = i < 0 ? newest : others.get(i);
            if (request.isSelectedBy(response.selecting())) {
                if (request.accepts(response)) {
                    return response;
                }
                coded = coded == null && request.canTake(response) ? response : coded;
            }
        }
        return coded;
    }

    /**
     * Returns {@code before} with {@code added} in place of the same variant, or {@code before}
     * itself if that one is newer, since responses may overtake one another.
     */
    static Variants with(@Nullable Variants before, StoredResponse added) {
        return with(before, added, added::isSameVariant);
    }

    /** The same if {@code added} replaces all for which {@code isReplaced} holds. */
    static Variants with(
            @Nullable Variants before, StoredResponse added, Predicate<StoredResponse> isReplaced) {
        if (before == null) {
            return retained(List.of(added));
        }
        if (before.count(each -> isReplaced.test(each) && each.isReceivedAfter(added)) > 0) {
            return before;
        }
        var kept = new ArrayList<StoredResponse>();
        before.forEach(response -> {
            if (kept.size() < MAX_VARIANTS - 1 && !isReplaced.test(response)) {
                kept.add(response);
            }
        });
        int newer = 0;
        while (newer < kept.size() && kept.get(newer).date().isAfter(added.date())) {
            newer++;
        }
        kept.add(newer, added);
        return retained(kept);
    }

    /**
     * Whether both are one response of the origin, to one resource: an invalidation makes copies
     * with another freshness.
     */
    @SuppressWarnings("ReferenceEquality") // Another body may have the same bytes.
    static boolean areOne(StoredResponse one, StoredResponse other) {
        return one.content().body() == other.content().body()
                && one.freshness().receivedAt().equals(other.freshness().receivedAt())
                && one.isSameVariant(other);
    }

    /**
     * Whether {@code other} must not stay without {@code response}: it is the same, or an older one
     * that requests for it may select.
     */
    static boolean leavesWith(StoredResponse response, StoredResponse other) {
        return response == other
                || (!other.isReceivedAfter(response)
                        && (other.selecting().equals(response.selecting())
                                || RecordVariants.haveOnePlace(other, response)));
    }

    /** Whether {@code response} is newer than {@code other}, and replaces it in a lower tier. */
    static boolean replacesBelow(StoredResponse response, StoredResponse other) {
        return response.isReceivedAfter(other) && RecordVariants.haveOnePlace(other, response);
    }

    /**
     * Whether {@code response}, which was read from a lower tier, was received after {@code other}:
     * for two copies of one response, clocks may differ a little.
     */
    static boolean isLater(StoredResponse response, StoredResponse other) {
        return response.isReceivedAfter(other)
                && !(isAlike(response, other)
                        && receivedAt(response).isBefore(receivedAt(other).plus(CLOCKS_DIFFER)));
    }

    private static boolean isAlike(StoredResponse response, StoredResponse other) {
        return Objects.equals(response.hash(), other.hash())
                && response.head().equals(other.head());
    }

    private static Instant receivedAt(StoredResponse response) {
        return response.freshness().receivedAt();
    }

    /** Whether {@code response} takes the place of {@code other}. */
    static boolean replaces(StoredResponse response, StoredResponse other) {
        return response != other
                && response.isSameVariant(other)
                && !other.isReceivedAfter(response);
    }

    /**
     * Returns the responses that {@code change} makes of these, without those of which it makes
     * null; itself if it changes none, null if none are left. Takes over the references of new
     * responses.
     */
    @Nullable Variants changed(Function<StoredResponse, @Nullable StoredResponse> change) {
        var results = new ArrayList<StoredResponse>();
        var unchanged = new ArrayList<StoredResponse>();
        forEach(response -> {
            var result = change.apply(response);
            if (result != null) {
                results.add(result);
                if (result == response) {
                    unchanged.add(response);
                }
            }
        });
        if (unchanged.size() == 1 + others.size()) {
            return this;
        }
        unchanged.forEach(Variants::retained);
        return results.isEmpty() ? null : new Variants(results);
    }

    /** Passes each response to {@code visitor}, not retained. */
    void forEach(Consumer<StoredResponse> visitor) {
        visitor.accept(newest);
        others.forEach(visitor);
    }

    /** Whether {@code response}, or a copy of it with another freshness, is one of these. */
    boolean has(StoredResponse response) {
        return count(each -> areOne(each, response)) > 0;
    }

    /** Whether one of these is newer than {@code response}, and replaces it in a lower tier. */
    boolean hasNewerThan(StoredResponse response) {
        return count(each -> replacesBelow(each, response)) > 0;
    }

    boolean areAll(Predicate<StoredResponse> condition) {
        return count(condition.negate()) == 0;
    }

    int count(Predicate<StoredResponse> condition) {
        int count = condition.test(newest) ? 1 : 0;
        for (var response : others) {
            if (condition.test(response)) {
                count++;
            }
        }
        return count;
    }

    /** The longest of the times returned by {@code each}; never negative. */
    Duration keepFor(Function<StoredResponse, Duration> each) {
        var longest = Duration.ZERO;
        for (int i = -1; i < others.size(); i++) {
            var keep = each.apply(i < 0 ? newest : others.get(i));
            if (keep.compareTo(longest) > 0) {
                longest = keep;
            }
        }
        return longest;
    }

    long weightBytes() {
        long sum = newest.weightBytes();
        for (var response : others) {
            sum += response.weightBytes();
        }
        return sum;
    }

    /** Releases its references; {@code transit} then accounts for responses that are still read. */
    void release(InFlightBudget transit) {
        forEach(response -> response.leavesStore(transit));
    }

    /** Called while the store holds the responses, so none of them can be released. */
    private static Variants retained(List<StoredResponse> responses) {
        responses.forEach(Variants::retained);
        return new Variants(responses);
    }

    private static StoredResponse retained(StoredResponse response) {
        if (!response.tryRetain()) {
            throw new IllegalStateException("stored response already released: " + response.key());
        }
        return response;
    }
}
