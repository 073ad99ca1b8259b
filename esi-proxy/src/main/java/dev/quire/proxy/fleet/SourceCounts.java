package dev.quire.proxy.fleet;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the invalidations of other nodes by the way they came. Thread-safe. */
final class SourceCounts {
    private final Map<EntrySource, LongAdder> counts = new EnumMap<>(EntrySource.class);

    SourceCounts() {
        for (var source : EntrySource.values()) {
            counts.put(source, new LongAdder());
        }
    }

    void add(EntrySource source) {
        var count = counts.get(source);
        if (count != null) {
            count.increment();
        }
    }

    /**
     * Returns all numbers.
     *
     * @param own of those that were made here
     */
    Map<EntrySource, Long> with(long own) {
        var all = new EnumMap<EntrySource, Long>(EntrySource.class);
        counts.forEach((source, count) -> all.put(source, count.sum()));
        all.put(EntrySource.LOCAL, own);
        return all;
    }
}
