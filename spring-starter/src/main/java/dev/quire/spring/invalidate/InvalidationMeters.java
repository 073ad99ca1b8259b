package dev.quire.spring.invalidate;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;

/** The number of queued and of lost invalidations per surrogate. */
record InvalidationMeters(List<Lane> lanes) implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        for (var lane : lanes) {
            Gauge.builder("quire.invalidation.queue", lane, Lane::waiting)
                    .description("invalidations queued for a surrogate")
                    .tag("surrogate", lane.name())
                    .register(registry);
            FunctionCounter.builder("quire.invalidation.lost", lane, Lane::lost)
                    .description("invalidations lost: not delivered to a surrogate and not retried")
                    .tag("surrogate", lane.name())
                    .register(registry);
        }
    }
}
