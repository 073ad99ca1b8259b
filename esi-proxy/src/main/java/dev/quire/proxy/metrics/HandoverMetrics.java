package dev.quire.proxy.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;

/** The metrics of handovers between processes. Thread-safe. */
public final class HandoverMetrics {
    private final EnumCounter handovers;

    /** The result of a handover for this process. */
    public enum Handover {
        /** It has taken over the sockets of another process. */
        TAKEN,
        /** Another process has taken over its sockets. */
        GIVEN,
        /** It has offered its sockets in vain. */
        FAILED
    }

    HandoverMetrics(MeterRegistry registry) {
        this.handovers =
                new EnumCounter(
                        registry,
                        List.of("quire.handovers"),
                        "result",
                        "handovers of the listening sockets between processes, by result",
                        Tags.empty());
        handovers.register(Handover.values());
    }

    public void ended(Handover result) {
        handovers.increment(result);
    }
}
