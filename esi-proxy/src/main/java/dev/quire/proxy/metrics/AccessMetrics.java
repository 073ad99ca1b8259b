package dev.quire.proxy.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.function.LongSupplier;

/** The metrics of rate limits and logins. Thread-safe. */
public final class AccessMetrics {
    private final MeterRegistry registry;
    private final EnumCounter verdicts;

    AccessMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.verdicts =
                new EnumCounter(
                        registry,
                        List.of("quire.logins"),
                        "verdict",
                        "requests whose user name and password were checked, by verdict",
                        Tags.empty());
    }

    /** Shows these verdicts from the start. */
    public void showVerdicts(Enum<?>... each) {
        verdicts.register(each);
    }

    /** Counts the verdict on the credentials of a request. */
    public void login(Enum<?> verdict) {
        verdicts.increment(verdict);
    }

    /**
     * Registers the numbers of buckets and of checks; once.
     *
     * @param buckets of rate limits
     * @param dropped buckets, since there were too many
     * @param pending checks of passwords
     */
    public void show(LongSupplier buckets, LongSupplier dropped, LongSupplier pending) {
        Gauge.builder("quire.limit.buckets", buckets::getAsLong)
                .description("buckets of rate limits, one for each client or other text")
                .register(registry);
        FunctionCounter.builder("quire.limit.buckets.dropped", this, metrics -> dropped.getAsLong())
                .description("buckets of rate limits that were dropped, since there were too many")
                .register(registry);
        Gauge.builder("quire.logins.pending", pending::getAsLong)
                .description("passwords that are being checked or wait for it")
                .register(registry);
    }
}
