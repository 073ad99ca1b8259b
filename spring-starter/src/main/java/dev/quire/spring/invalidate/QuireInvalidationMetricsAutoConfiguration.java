package dev.quire.spring.invalidate;

import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Meters of queued and lost invalidations, if Micrometer is present. */
@AutoConfiguration(after = QuireInvalidationAutoConfiguration.class)
@ConditionalOnClass(MeterBinder.class)
@ConditionalOnBean(InvalidationFaults.class)
public final class QuireInvalidationMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    InvalidationFaultMeters invalidationFaultMeters(InvalidationFaults faults) {
        return new InvalidationFaultMeters(faults);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(QueuedInvalidator.class)
    InvalidationMeters invalidationMeters(QueuedInvalidator invalidator) {
        return new InvalidationMeters(invalidator.queues());
    }
}
