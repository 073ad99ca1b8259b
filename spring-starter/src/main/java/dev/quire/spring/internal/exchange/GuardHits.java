package dev.quire.spring.internal.exchange;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the responses that the guard made private, by handler and reason. Shared by all requests;
 * its size is bounded by the number of handlers.
 */
public final class GuardHits {

    private record Cause(String handler, Demotion reason) {}

    private final Map<Cause, LongAdder> counts = new ConcurrentHashMap<>();

    /** Counts one response of {@code handler} that was made private. */
    public void add(String handler, Demotion reason) {
        counts.computeIfAbsent(new Cause(handler, reason), cause -> new LongAdder()).increment();
    }

    /** Returns the counts of {@code handler} by reason, without zero counts. */
    public Map<Demotion, Long> of(String handler) {
        var found = new EnumMap<Demotion, Long>(Demotion.class);
        counts.forEach((cause, count) -> {
            if (cause.handler().equals(handler)) {
                found.put(cause.reason(), count.sum());
            }
        });
        return found;
    }

    /** Returns the count for {@code reason} over all handlers. */
    public long total(Demotion reason) {
        long total = 0;
        for (var entry : counts.entrySet()) {
            if (entry.getKey().reason() == reason) {
                total += entry.getValue().sum();
            }
        }
        return total;
    }
}
