package dev.quire.proxy.cache;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts what a lower tier was asked and given. Thread-safe. */
final class TierCounts {
    private final Map<TierOutcome, LongAdder> requests = adders(TierOutcome.class);
    private final Map<TierWrite, LongAdder> writes = adders(TierWrite.class);

    void add(TierOutcome outcome) {
        adder(requests, outcome).increment();
    }

    void add(TierWrite outcome) {
        adder(writes, outcome).increment();
    }

    long of(TierOutcome outcome) {
        return adder(requests, outcome).sum();
    }

    long of(TierWrite outcome) {
        return adder(writes, outcome).sum();
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
