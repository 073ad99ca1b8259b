package dev.quire.proxy.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * A counter with one label, whose values are enum constants, registered at once or at their first
 * use.
 */
final class EnumCounter {
    private final MeterRegistry registry;
    private final List<String> names;
    private final String label;
    private final String description;
    private final Tags tags;
    private final ConcurrentMap<Enum<?>, LongAdder> adders = new ConcurrentHashMap<>();

    /**
     * @param names the current name, and former ones
     */
    EnumCounter(
            MeterRegistry registry,
            List<String> names,
            String label,
            String description,
            Tags tags) {
        this.registry = registry;
        this.names = List.copyOf(names);
        this.label = label;
        this.description = description;
        this.tags = tags;
    }

    /** Registers values as zero: a rate needs the step from zero to one. */
    void register(Enum<?>... values) {
        for (var value : values) {
            adder(value);
        }
    }

    void increment(Enum<?> value) {
        adder(value).increment();
    }

    /** The label value: {@code SET_COOKIE} becomes {@code set-cookie}. */
    static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private LongAdder adder(Enum<?> value) {
        // computeIfAbsent locks its bin even if the key is present.
        var present = adders.get(value);
        return present != null ? present : adders.computeIfAbsent(value, this::made);
    }

    private LongAdder made(Enum<?> value) {
        return Metrics.adder(registry, names, description, tags.and(label, label(value)));
    }
}
