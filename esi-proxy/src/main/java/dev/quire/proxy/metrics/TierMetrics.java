package dev.quire.proxy.metrics;

import dev.quire.proxy.cache.TierOutcome;
import dev.quire.proxy.cache.TierWrite;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/** The metrics of the storage tiers. Those that are not shown do not exist. Thread-safe. */
public final class TierMetrics {
    private static final String TIER = "tier";
    private static final String OUTCOME = "outcome";

    private final PrometheusMeterRegistry registry;

    TierMetrics(PrometheusMeterRegistry registry) {
        this.registry = registry;
    }

    /**
     * Registers a tier; once.
     *
     * @param state 0 in use, 1 loading or paused, 2 not in use
     */
    public void show(String tier, IntSupplier state, LongSupplier objects, LongSupplier bytes) {
        showState(tier, state);
        Gauge.builder("quire.tier.objects", objects::getAsLong)
                .description("stored objects of the tier")
                .tag(TIER, tier)
                .register(registry);
        Gauge.builder("quire.tier.bytes", bytes::getAsLong)
                .description("space used by the tier")
                .baseUnit("bytes")
                .tag(TIER, tier)
                .register(registry);
    }

    /** Registers the state of a tier as {@link #show}; once. */
    public void showState(String tier, IntSupplier state) {
        Gauge.builder("quire.tier.state", state::getAsInt)
                .description(
                        "0 if the tier is in use, 1 if it is loading or writes nothing, or tries"
                                + " whether its store works, 2 if it is off, stalled, away or has"
                                + " failed")
                .tag(TIER, tier)
                .register(registry);
    }

    /** Registers the requests that a tier has not answered yet; once. */
    public void showWaiting(String tier, IntSupplier waiting) {
        Gauge.builder("quire.tier.waiting", waiting::getAsInt)
                .description("requests that the tier has not answered yet")
                .tag(TIER, tier)
                .register(registry);
    }

    /**
     * Registers the numbers of a lower tier; once.
     *
     * @param requests counts searches
     * @param writes counts responses that could be written
     */
    public void showRequests(
            String tier, ToLongFunction<TierOutcome> requests, ToLongFunction<TierWrite> writes) {
        for (var outcome : TierOutcome.values()) {
            FunctionCounter.builder(
                            "quire.tier.requests", this, it -> requests.applyAsLong(outcome))
                    .description("searches for responses in the tier, by outcome")
                    .tag(TIER, tier)
                    .tag(OUTCOME, EnumCounter.label(outcome))
                    .register(registry);
        }
        for (var outcome : TierWrite.values()) {
            FunctionCounter.builder("quire.tier.writes", this, it -> writes.applyAsLong(outcome))
                    .description("responses that the tier could keep, by outcome")
                    .tag(TIER, tier)
                    .tag(OUTCOME, EnumCounter.label(outcome))
                    .register(registry);
        }
    }

    /** Registers the times of a lower tier, once, and returns the consumer of nanoseconds. */
    public LongConsumer waits(String tier) {
        var times = new Latencies("quire_tier_seconds", "how long requests waited for the tier");
        var histogram = times.with(Labels.of(TIER, tier));
        registry.getPrometheusRegistry().register(times);
        return histogram::record;
    }

    /**
     * Registers the files of the disk tier; once.
     *
     * @param segments files with responses
     * @param start how long reading the index took, in seconds
     */
    public void showDisk(
            LongSupplier segments,
            LongSupplier indexBytes,
            LongSupplier journalBytes,
            LongSupplier reinserted,
            LongSupplier damaged,
            DoubleSupplier start) {
        gauge("quire.disk.segments", "files with responses", segments::getAsLong);
        gauge("quire.disk.index.bytes", "memory of the index", indexBytes::getAsLong);
        gauge(
                "quire.disk.journal.bytes",
                "size of the journal of invalidations",
                journalBytes::getAsLong);
        gauge("quire.disk.start.seconds", "how long reading the index took at the start", start);
        count(
                "quire.disk.reinserted",
                "records that were written again when their file was deleted",
                reinserted);
        count("quire.disk.damaged", "records that could not be read", damaged);
    }

    private void gauge(String name, String description, DoubleSupplier value) {
        Gauge.builder(name, value::getAsDouble).description(description).register(registry);
    }

    private void count(String name, String description, LongSupplier count) {
        FunctionCounter.builder(name, this, it -> count.getAsLong())
                .description(description)
                .register(registry);
    }
}
