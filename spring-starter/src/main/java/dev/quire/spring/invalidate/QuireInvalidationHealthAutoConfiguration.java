package dev.quire.spring.invalidate;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * The health indicator {@code quire}, if Actuator is present: whether surrogates accept
 * invalidations.
 */
@AutoConfiguration(after = QuireInvalidationAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(QueuedInvalidator.class)
@ConditionalOnEnabledHealthIndicator("quire")
public final class QuireInvalidationHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "quireHealthIndicator")
    SurrogateHealth quireHealthIndicator(QueuedInvalidator invalidator) {
        return new SurrogateHealth(invalidator.queues());
    }
}
