package dev.quire.proxy.cache;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of {@link Invalidations} that outlives the process. Immutable. Times are monotonic, so
 * they are converted when it is written or read.
 *
 * @param seed of the hash that has made {@code positions}; secret, as {@code factor}
 * @param epochs oldest first; the last one is that of the process that wrote it
 * @param newest the number of the newest entry
 * @param floor responses that were tested up to an older entry are hidden
 * @param entries in any order; of two with the same number, the last one is complete
 * @param positions of unsafe requests
 * @param log that of the fleet; null without one
 */
public record InvalidationState(
        long seed,
        long factor,
        List<Epoch> epochs,
        long newest,
        long floor,
        List<Numbered> entries,
        List<Position> positions,
        @Nullable LogState log) {

    public InvalidationState {
        epochs = List.copyOf(epochs);
        entries = List.copyOf(entries);
        positions = List.copyOf(positions);
    }

    /**
     * The entries of one process.
     *
     * @param name random
     * @param before the newest entry when it began
     */
    public record Epoch(long name, long before) {}

    /** An entry with its number. */
    public record Numbered(long number, InvalidationEntry entry) {}

    /** The number of the newest entry of the names with one hash. */
    public record Position(int hash, long number) {}
}
