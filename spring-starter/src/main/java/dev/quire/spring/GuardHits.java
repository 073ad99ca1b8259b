package dev.quire.spring;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * How often the guard has made a response private, by handler and reason. Shared by all requests;
 * grows with the number of handlers.
 */
final class GuardHits {

    private record Cause(String handler, Demotion reason) {}

    private final Map<Cause, LongAdder> counts = new ConcurrentHashMap<>();

    /** One more response of {@code handler} has been made private. */
    void add(String handler, Demotion reason) {
        counts.computeIfAbsent(new Cause(handler, reason), cause -> new LongAdder()).increment();
    }

    /** How often {@code handler} was made private, by reason; without reasons that never were. */
    Map<Demotion, Long> of(String handler) {
        var found = new EnumMap<Demotion, Long>(Demotion.class);
        counts.forEach((cause, count) -> {
            if (cause.handler().equals(handler)) {
                found.put(cause.reason(), count.sum());
            }
        });
        return found;
    }

    /** How often anything was made private for {@code reason}. */
    long total(Demotion reason) {
        long total = 0;
        for (var entry : counts.entrySet()) {
            if (entry.getKey().reason() == reason) {
                total += entry.getValue().sum();
            }
        }
        return total;
    }
}
