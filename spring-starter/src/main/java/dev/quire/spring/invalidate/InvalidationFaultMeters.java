package dev.quire.spring.invalidate;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/** How many changes no surrogate could be told of, whoever invalidates. */
record InvalidationFaultMeters(InvalidationFaults faults) implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        FunctionCounter.builder("quire.invalidation.faults", faults, InvalidationFaults::count)
                .description("changes whose invalidation failed before it was queued")
                .register(registry);
    }
}
