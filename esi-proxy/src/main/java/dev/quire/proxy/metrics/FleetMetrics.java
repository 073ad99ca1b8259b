package dev.quire.proxy.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/** The metrics of a fleet. They exist once they are shown. Thread-safe. */
public final class FleetMetrics {
    private final PrometheusMeterRegistry registry;

    FleetMetrics(PrometheusMeterRegistry registry) {
        this.registry = registry;
    }

    /**
     * Registers the state of this node; once. A number that is not known is NaN.
     *
     * @param lag in seconds
     */
    public void show(
            DoubleSupplier lag,
            DoubleSupplier journal,
            DoubleSupplier live,
            DoubleSupplier silent) {
        Gauge.builder("quire.fleet.lag", lag::getAsDouble)
                .description(
                        "time since it was confirmed that this node has applied all invalidations"
                                + " of the fleet")
                .register(registry);
        gauge(
                "quire.fleet.journal",
                "invalidations of this node that are not in the log of the fleet yet",
                journal);
        gauge(
                "quire.fleet.nodes",
                "nodes of the fleet that have read the log within the lease",
                live);
        gauge(
                "quire.fleet.silent",
                "nodes of the fleet that have not read the log for longer than the lease",
                silent);
    }

    /** Registers the number of invalidations that came in one way; once for each. */
    public void showInvalidations(Enum<?> source, LongSupplier count) {
        FunctionCounter.builder("quire.fleet.invalidations", this, it -> count.getAsLong())
                .description("invalidations of the fleet that this node has made, by how they came")
                .tag("source", EnumCounter.label(source))
                .register(registry);
    }

    /** Registers the floor; once. NaN without one. */
    public void showFloor(DoubleSupplier floor) {
        gauge(
                "quire.fleet.floor",
                "seconds since 1970: responses of the store with an older position in the log are"
                        + " not used",
                floor);
    }

    /** Registers the leases with one outcome; once for each. Also without a log. */
    public void showLeases(Enum<?> outcome, LongSupplier count) {
        FunctionCounter.builder("quire.fleet.leases", this, it -> count.getAsLong())
                .description("requests for a lease that found no response, by answer of the store")
                .tag("outcome", EnumCounter.label(outcome))
                .register(registry);
    }

    private void gauge(String name, String description, DoubleSupplier value) {
        Gauge.builder(name, value::getAsDouble).description(description).register(registry);
    }
}
