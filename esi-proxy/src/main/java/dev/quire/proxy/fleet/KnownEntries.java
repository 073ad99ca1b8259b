package dev.quire.proxy.fleet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The entries that this node has applied lately, or has made and not found in the log yet. Not
 * thread-safe.
 */
final class KnownEntries {

    /** So many entries of the last minute are known; of more, the oldest ones are forgotten. */
    private static final int MAX_KNOWN = 100_000;

    private static final long MAX_BYTES = 64 << 20;

    private final SequencedMap<EntryName, Known> byName = new LinkedHashMap<>();

    /** The length of all. */
    private long bytes;

    /** One entry. */
    static final class Known {
        final EntryName name;
        final byte[] bytes;

        /** Of the invalidation that it was made for; 0 if it is of another node. */
        final long number;

        /** When this node has found it in the log, or has made it. */
        long atTicks;

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
        subtract(byName.put(known.name, known));
        bytes += known.bytes.length;
    }

    private void subtract(@Nullable Known removed) {
        if (removed != null) {
            bytes -= removed.bytes.length;
        }
    }

    @Nullable Known get(EntryName name) {
        return byName.get(name);
    }

    /** Returns the entry of the invalidation with that number in this node. */
    @Nullable Known ofNumber(long number) {
        for (var known : byName.sequencedValues().reversed()) {
            if (Arrays.binarySearch(known.numbers, number) >= 0) {
                return known;
            }
        }
        return null;
    }

    void remove(EntryName name) {
        subtract(byName.remove(name));
    }

    List<Known> all() {
        return new ArrayList<>(byName.values());
    }

    void removeIf(Predicate<Known> condition) {
        all().stream().filter(condition).forEach(each -> remove(each.name));
    }

    /** Forgets the oldest entries in the log that are older than {@code ticks}, or too many. */
    void forget(long ticks) {
        var oldest = byName.values().iterator();
        int excess = byName.size() - MAX_KNOWN;
        while (oldest.hasNext()) {
            var known = oldest.next();
            boolean areTooMany = excess > 0 || bytes > MAX_BYTES;
            if (known.isInLog && known.atTicks - ticks >= 0 && !areTooMany) {
                return;
            }
            if (known.isInLog) {
                oldest.remove();
                subtract(known);
                excess--;
            }
        }
    }
}
