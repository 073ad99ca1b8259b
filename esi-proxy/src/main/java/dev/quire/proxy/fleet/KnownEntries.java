package dev.quire.proxy.fleet;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The entries that this node has applied lately, or has made and not found in the log yet. Not
 * thread-safe.
 */
final class KnownEntries {

    /** So many entries of the last minute are known; of more, the oldest ones are forgotten. */
    private static final int MAX_KNOWN = 100_000;

    private final Map<EntryName, Known> byName = new LinkedHashMap<>();

    /** One entry. */
    static final class Known {
        final EntryName name;
        final byte[] bytes;
        final long atTicks;

        /** Of the invalidation that it was made for; 0 if it is of another node. */
        final long number;

        /** Its numbers in this node, ascending; empty for the end of a ban. */
        long[] numbers;

        /** Whether it has an id in this epoch. */
        boolean isInLog;

        /** The same in any epoch. */
        boolean wasInLog;

        Known(EntryName name, byte[] bytes, long atTicks, long number, long... numbers) {
            this.name = name;
            this.bytes = bytes;
            this.atTicks = atTicks;
            this.number = number;
            this.numbers = numbers;
        }
    }

    void add(Known known) {
        byName.put(known.name, known);
    }

    @Nullable Known get(EntryName name) {
        return byName.get(name);
    }

    void remove(EntryName name) {
        byName.remove(name);
    }

    List<Known> all() {
        return new ArrayList<>(byName.values());
    }

    void removeIf(Predicate<Known> condition) {
        byName.values().removeIf(condition);
    }

    /** Forgets the oldest entries in the log that are older than {@code ticks}, or too many. */
    void forget(long ticks) {
        var oldest = byName.values().iterator();
        int excess = byName.size() - MAX_KNOWN;
        while (oldest.hasNext()) {
            var known = oldest.next();
            if (!known.isInLog || (known.atTicks - ticks >= 0 && excess <= 0)) {
                return;
            }
            oldest.remove();
            excess--;
        }
    }
}
