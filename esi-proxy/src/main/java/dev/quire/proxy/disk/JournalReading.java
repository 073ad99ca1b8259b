package dev.quire.proxy.disk;

import dev.quire.proxy.cache.InvalidationState;

/** The result of reading a journal: all of its entries, or none. */
public sealed interface JournalReading {

    /**
     * A journal with all entries that were reported as durable.
     *
     * @param generation the number of times that it was written anew
     */
    record Usable(InvalidationState state, long generation) implements JournalReading {}

    /** A journal that may have lost entries: all that is stored beside it must be dropped. */
    record Unusable(JournalLoss loss) implements JournalReading {}
}
