package dev.quire.proxy.cache;

import dev.quire.core.rule.PathPattern;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A purge or ban that may still cover responses.
 *
 * @param paths the patterns of a purge
 * @param condition of a ban; null for a purge
 * @param covered counts the responses that it has hidden or made stale
 */
record ActiveInvalidation(
        long number,
        Instant since,
        boolean isSoft,
        List<PathPattern> paths,
        @Nullable BanCondition condition,
        AtomicReference<Covered> covered) {

    /**
     * @param former with the same condition, of which it goes on counting; null if there is not one
     */
    static ActiveInvalidation of(
            long number, InvalidationEntry entry, @Nullable ActiveInvalidation former) {
        return new ActiveInvalidation(
                number,
                entry.since(),
                entry instanceof InvalidationEntry.PurgeEntry purge && purge.isSoft(),
                entry instanceof InvalidationEntry.PurgeEntry purge
                        ? purge.purge().paths()
                        : List.of(),
                entry instanceof InvalidationEntry.BanEntry ban ? ban.condition() : null,
                former == null ? new AtomicReference<>(Covered.NOTHING) : former.covered());
    }

    boolean covers(InvalidationSubject subject) {
        if (condition == null) {
            return paths.stream().anyMatch(path -> path.matches(subject.key().path()));
        }
        return subject.response() == null || condition.covers(subject.response(), since);
    }

    Ban ban(BanCondition itsCondition, boolean isCompleted) {
        return new Ban(number, itsCondition, since, covered.get().all(), isCompleted);
    }
}
