package dev.quire.proxy.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.function.LongSupplier;

/** The metrics of the configuration. Thread-safe. */
public final class ConfigurationMetrics {
    private final MeterRegistry registry;
    private final EnumCounter reloads;
    private final EnumCounter rollbacks;

    /** The result of a reload. */
    public enum Reload {
        APPLIED,
        /** The text was that of the current generation. */
        UNCHANGED,
        REFUSED
    }

    /** Why an earlier generation is in use again. */
    public enum Rollback {
        OPERATOR,
        /** It was not confirmed in time. */
        UNCONFIRMED,
        /** Too many errors. */
        ERRORS
    }

    ConfigurationMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.reloads =
                new EnumCounter(
                        registry,
                        List.of("quire.config.reloads"),
                        "result",
                        "reloads of the configuration, by result",
                        Tags.empty());
        this.rollbacks =
                new EnumCounter(
                        registry,
                        List.of("quire.config.rollbacks"),
                        "by",
                        "returns to an earlier configuration, by cause",
                        Tags.empty());
        reloads.register(Reload.values());
        rollbacks.register(Rollback.values());
    }

    /** Registers the number of the current generation; once. */
    public void showGeneration(LongSupplier number) {
        Gauge.builder("quire.config.generation", number::getAsLong)
                .description("the number of the configuration in use")
                .register(registry);
    }

    public void reloaded(Reload result) {
        reloads.increment(result);
    }

    public void rolledBack(Rollback cause) {
        rollbacks.increment(cause);
    }
}
