package dev.quire.spring.internal.invalidate;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/** Counts changes whose invalidation failed before it was queued, for any invalidator. */
public record InvalidationFaultMeters(InvalidationFaults faults) implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        FunctionCounter.builder("quire.invalidation.faults", faults, InvalidationFaults::count)
                .description("changes whose invalidation failed before it was queued")
                .register(registry);
    }
}
