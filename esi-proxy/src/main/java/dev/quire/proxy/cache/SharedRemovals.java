package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.exchange.Time;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Removes from a shared store what newer responses replace or outdate. Thread-safe. */
final class SharedRemovals {

    /*
     * A response that is not written removes what it would replace: its own variant, and those of
     * other selecting fields with their list. The list of its own fields stays, for the others.
     *
     * A response that is not stored outdates all variants that its request selects. Those of the
     * known list are removed. The store keeps its list only if that is alike: another one may have
     * more of these variants.
     */

    /** How long a removal counts for others of the same record. */
    private static final Duration ONE_REMOVAL = Duration.ofSeconds(1);

    private static final int MAX_REMOVALS = 10_000;

    private record Removal(SharedRecords.Place place, SharedRecords.@Nullable ListKind kept) {}

    private final PageStore store;
    private final Time time;
    private final Cache<RecordHash, VarySpec> specs;
    private final Cache<Removal, Boolean> removed;

    /**
     * @param specs those that are known
     */
    SharedRemovals(PageStore store, Time time, Cache<RecordHash, VarySpec> specs) {
        this.store = store;
        this.time = time;
        this.specs = specs;
        this.removed =
                Caffeine.newBuilder()
                        .maximumSize(MAX_REMOVALS)
                        .expireAfterWrite(ONE_REMOVAL)
                        .ticker(time::ticks)
                        .executor(Runnable::run)
                        .build();
    }

    /** Removes what {@code response}, which is not written, would replace. */
    void replace(SharedTier.Use from, StoredResponse response, RecordHash resource) {
        var variant = RecordVariants.Variant.of(response, resource, 0);
        boolean isListed = VarySpec.lists(knownFor(variant, resource), variant);
        remove(from, base(resource), isListed ? VarySpec.kindOf(variant.names()) : null);
        // Also beside a list that this proxy does not know.
        remove(from, new SharedRecords.Place(resource, variant.hash()), null);
    }

    /** Removes the variant of {@code response}, in place of which a newer one is written. */
    void removeVariant(SharedTier.Use from, StoredResponse response, RecordHash resource) {
        var variant = RecordVariants.Variant.of(response, resource, 0);
        remove(from, new SharedRecords.Place(resource, variant.hash()), null);
    }

    /** Removes what requests for {@code response} select: a newer one outdates it. */
    void outdate(SharedTier.Use from, StoredResponse response, RecordHash resource) {
        var variant = RecordVariants.Variant.of(response, resource, 0);
        var known = knownFor(variant, resource);
        if (known == null) {
            remove(from, base(resource), null);
            removeVariant(from, response, resource);
            return;
        }
        remove(from, base(resource), known.kind());
        for (var hash : known.of(response)) {
            remove(from, new SharedRecords.Place(resource, hash), null);
        }
    }

    /** Removes what {@code request} selects, once in a while: a newer response outdates it. */
    void outdate(SharedTier.Use from, SentRequest request, RecordHash resource) {
        var known = specs.getIfPresent(resource);
        removeOnce(from, new Removal(base(resource), known == null ? null : known.kind()));
        if (known != null) {
            for (var hash : known.of(request)) {
                removeOnce(from, new Removal(new SharedRecords.Place(resource, hash), null));
            }
        }
    }

    /**
     * Returns the known spec if it has the selecting fields of {@code variant}, which is newer;
     * forgets another one.
     */
    private @Nullable VarySpec knownFor(RecordVariants.Variant variant, RecordHash resource) {
        var known = specs.getIfPresent(resource);
        if (known != null && !known.names().equals(variant.names())) {
            specs.invalidate(resource);
            return null;
        }
        return known;
    }

    private static SharedRecords.Place base(RecordHash resource) {
        return new SharedRecords.Place(resource, null);
    }

    private void removeOnce(SharedTier.Use from, Removal removal) {
        if (removed.getIfPresent(removal) == null
                && remove(from, removal.place(), removal.kept())) {
            removed.put(removal, true);
        }
    }

    /** Returns whether the store is asked to. */
    private boolean remove(
            SharedTier.Use from, SharedRecords.Place place, SharedRecords.@Nullable ListKind kept) {
        long newest = store.invalidations().newest();
        var position = from.positions().position(newest, newest);
        if (position == null || !from.records().isUsable()) {
            return false;
        }
        long now = new SharedTime(time, from.positions()::aheadMillis).steadyWall().toEpochMilli();
        from.records().remove(place, new SharedRecords.Version(position, now), kept);
        return true;
    }
}
