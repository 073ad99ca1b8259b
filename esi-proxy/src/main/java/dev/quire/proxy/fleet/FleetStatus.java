package dev.quire.proxy.fleet;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of this node in its fleet.
 *
 * @param node its name with its incarnation
 * @param read how far it has read the log
 * @param isCurrent whether it knew all entries of the log at a time within the lease
 * @param waiting the number of own entries that are not in the log yet
 * @param invalidations the number that it has made since its start, by the way they came
 * @param fault why the log cannot be read, or own entries not be appended, in the words of
 *     operators; null if they can
 */
public record FleetStatus(
        String node,
        Position read,
        boolean isCurrent,
        int waiting,
        Map<EntrySource, Long> invalidations,
        @Nullable String fault) {

    /**
     * A position in the log.
     *
     * @param epoch 0 if it is not known yet
     * @param applied the last entry that was read from the log
     * @param floor no record of the store with an earlier position is used
     * @param lag for how long it was not confirmed that this is the last one; null if it never was
     */
    public record Position(long epoch, long applied, long floor, @Nullable Duration lag) {}

    public long epoch() {
        return read.epoch();
    }

    public long applied() {
        return read.applied();
    }

    public @Nullable Duration lag() {
        return read.lag();
    }
}
