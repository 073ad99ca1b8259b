package dev.quire.spring;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The actuator's endpoint {@code quire}. */
@AutoConfiguration(after = QuireAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(FragmentPolicies.class)
public final class QuireActuatorAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    QuireEndpoint quireEndpoint(
            FragmentPolicies policies,
            QuireProperties properties,
            GuardHits hits,
            ObjectProvider<InvalidationHistory> history,
            ObjectProvider<TagInvalidation> invalidation) {
        return new QuireEndpoint(
                policies,
                PathRules.of(properties.rules()),
                hits,
                history.orderedStream().toList(),
                invalidation.getIfAvailable());
    }
}
