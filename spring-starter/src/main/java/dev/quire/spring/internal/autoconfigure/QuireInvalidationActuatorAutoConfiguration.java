package dev.quire.spring.internal.autoconfigure;

import dev.quire.spring.internal.invalidate.InvalidationFaultMeters;
import dev.quire.spring.internal.invalidate.InvalidationFaults;
import dev.quire.spring.internal.invalidate.InvalidationMeters;
import dev.quire.spring.internal.invalidate.QueuedInvalidator;
import dev.quire.spring.internal.invalidate.SurrogateHealth;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Health and meters of queued invalidations, if Actuator or Micrometer is present. */
@AutoConfiguration(after = QuireInvalidationAutoConfiguration.class)
public final class QuireInvalidationActuatorAutoConfiguration {

    /** The health indicator {@code quire}: whether surrogates accept invalidations. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    @ConditionalOnBean(QueuedInvalidator.class)
    @ConditionalOnEnabledHealthIndicator("quire")
    static final class QueueHealthConfiguration {

        @Bean
        @ConditionalOnMissingBean(name = "quireHealthIndicator")
        SurrogateHealth quireHealthIndicator(QueuedInvalidator invalidator) {
            return new SurrogateHealth(invalidator.queues());
        }
    }

    /** Meters of queued and lost invalidations. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterBinder.class)
    @ConditionalOnBean(InvalidationFaults.class)
    static final class QueueMetricsConfiguration {

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
}
