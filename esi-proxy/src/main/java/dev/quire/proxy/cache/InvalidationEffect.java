package dev.quire.proxy.cache;

import dev.quire.core.policy.Freshness;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The effect of newer entries on a response.
 *
 * @param by the condition that the response meets
 */
record InvalidationEffect(ActiveInvalidation entry, Covered by) {

    /** The floor, or an unsafe request. */
    static final InvalidationEffect HIDDEN =
            new InvalidationEffect(
                    new ActiveInvalidation(
                            0,
                            Instant.EPOCH,
                            false,
                            List.of(),
                            null,
                            new AtomicReference<>(Covered.NOTHING)),
                    Covered.NOTHING);

    /** Whether any of {@code entries} since {@code stored} was tested hides it. */
    static boolean isHidden(StoredResponse stored, Invalidations entries) {
        var effect = entries.effect(InvalidationSubject.of(stored), stored.testedUpTo(), null);
        return effect != null && effect.isHard();
    }

    boolean isHard() {
        return !entry.isSoft();
    }

    /** Returns the freshness of a response that had {@code freshness}; null if it is hidden. */
    @Nullable Freshness on(Freshness freshness) {
        return isHard() ? null : freshness.expiredAt(entry.since());
    }

    /** A hard effect precedes soft ones, a newer one older ones. */
    static InvalidationEffect stronger(
            @Nullable InvalidationEffect known, ActiveInvalidation entry, Covered by) {
        return known != null
                        && (known.entry.isSoft() == entry.isSoft()
                                ? known.entry.number() >= entry.number()
                                : known.isHard())
                ? known
                : new InvalidationEffect(entry, by);
    }

    /**
     * Returns the strongest of {@code known} and what both entries do that are after {@code
     * tested}.
     */
    static @Nullable InvalidationEffect later(
            long tested,
            @Nullable InvalidationEffect known,
            @Nullable ActiveInvalidation hard,
            @Nullable ActiveInvalidation soft,
            Covered by) {
        var effect = hard != null && hard.number() > tested ? stronger(known, hard, by) : known;
        return soft != null && soft.number() > tested ? stronger(effect, soft, by) : effect;
    }
}
