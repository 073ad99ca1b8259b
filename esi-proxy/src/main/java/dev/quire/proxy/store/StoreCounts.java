package dev.quire.proxy.store;

import dev.quire.proxy.cache.TierWrite;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts what became of records and leases. Thread-safe. */
public final class StoreCounts {
    private final Map<TierWrite, LongAdder> writes = adders(TierWrite.class);
    private final Map<Lease, LongAdder> leases = adders(Lease.class);
    private final LongAdder corrupt = new LongAdder();

    public void add(TierWrite outcome) {
        adder(writes, outcome).increment();
    }

    public void add(Lease outcome) {
        adder(leases, outcome).increment();
    }

    /** Counts a value that was not the record of its key. */
    public void addCorrupt() {
        corrupt.increment();
    }

    public long of(TierWrite outcome) {
        return adder(writes, outcome).sum();
    }

    public long of(Lease outcome) {
        return adder(leases, outcome).sum();
    }

    public long corrupt() {
        return corrupt.sum();
    }

    private static <E extends Enum<E>> LongAdder adder(Map<E, LongAdder> all, E outcome) {
        return all.computeIfAbsent(outcome, absent -> new LongAdder());
    }

    private static <E extends Enum<E>> Map<E, LongAdder> adders(Class<E> outcomes) {
        var all = new EnumMap<E, LongAdder>(outcomes);
        for (var outcome : outcomes.getEnumConstants()) {
            all.put(outcome, new LongAdder());
        }
        return all;
    }
}
