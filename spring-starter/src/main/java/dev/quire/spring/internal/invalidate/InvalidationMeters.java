package dev.quire.spring.internal.invalidate;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;

/** The number of queued and of lost invalidations per surrogate. */
public record InvalidationMeters(List<SurrogateQueue> queues) implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        for (var queue : queues) {
            Gauge.builder("quire.invalidation.queue", queue, SurrogateQueue::waiting)
                    .description("invalidations queued for a surrogate")
                    .tag("surrogate", queue.name())
                    .register(registry);
            FunctionCounter.builder("quire.invalidation.lost", queue, SurrogateQueue::lost)
                    .description("invalidations lost: not delivered to a surrogate and not retried")
                    .tag("surrogate", queue.name())
                    .register(registry);
        }
    }
}
