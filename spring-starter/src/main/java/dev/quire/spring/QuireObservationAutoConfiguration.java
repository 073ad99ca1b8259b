package dev.quire.spring;

import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Observations of responses with a policy, if the application has an observation registry. */
@AutoConfiguration(
        before = QuireAutoConfiguration.class,
        afterName =
                "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(ObservationRegistry.class)
@ConditionalOnBooleanProperty(name = "quire.enabled", matchIfMissing = true)
public final class QuireObservationAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    FragmentObserver fragmentObserver(ObservationRegistry registry) {
        return new MicrometerFragmentObserver(registry);
    }
}
