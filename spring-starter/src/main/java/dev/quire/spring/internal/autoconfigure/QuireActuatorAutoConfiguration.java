package dev.quire.spring.internal.autoconfigure;

import dev.quire.spring.internal.exchange.Demotion;
import dev.quire.spring.internal.exchange.FragmentObserver;
import dev.quire.spring.internal.exchange.GuardHits;
import dev.quire.spring.internal.handler.FragmentHandlers;
import dev.quire.spring.internal.handler.FragmentPolicies;
import dev.quire.spring.internal.handler.PathRules;
import dev.quire.spring.internal.invalidate.InvalidationHistory;
import dev.quire.spring.internal.invalidate.TagInvalidation;
import dev.quire.spring.internal.observe.MicrometerFragmentObserver;
import dev.quire.spring.internal.settings.QuireProperties;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.observation.ObservationRegistry;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The endpoint {@code quire}, meters and observations, each if its library is present. */
@AutoConfiguration(
        after = QuireAutoConfiguration.class,
        afterName =
                "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
public final class QuireActuatorAutoConfiguration {

    /** The actuator's endpoint {@code quire}, and masking of our secrets in other endpoints. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    @ConditionalOnBean(FragmentPolicies.class)
    static final class EndpointConfiguration {

        private static final Set<String> SECRETS =
                Set.of("quirestampplaceholder", "quirevariantssecret", "quiresurrogatetoken");

        private static final Pattern SEPARATOR = Pattern.compile("[^a-z0-9]");

        /** Masks our secrets even if the application shows all values. */
        @Bean
        @ConditionalOnMissingBean(name = "quireSecrets")
        static SanitizingFunction quireSecrets() {
            return data ->
                    SECRETS.contains(SEPARATOR.matcher(data.getLowerCaseKey()).replaceAll(""))
                            ? data.withSanitizedValue()
                            : data;
        }

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint
        QuireEndpoint quireEndpoint(
                FragmentHandlers handlers,
                QuireProperties properties,
                GuardHits hits,
                ObjectProvider<InvalidationHistory> history,
                ObjectProvider<TagInvalidation> invalidation) {
            return new QuireEndpoint(
                    handlers,
                    PathRules.of(properties.rules()),
                    hits,
                    history.orderedStream().toList(),
                    invalidation.getIfAvailable());
        }
    }

    /** Metrics of the guard, read on demand. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterBinder.class)
    @ConditionalOnBean(GuardHits.class)
    static final class MetricsConfiguration {

        @Bean
        @ConditionalOnMissingBean(name = "guardMeters")
        MeterBinder guardMeters(GuardHits hits) {
            return registry -> {
                for (var reason : Demotion.values()) {
                    FunctionCounter.builder("quire.guard.demotions", hits, of -> of.total(reason))
                            .description("responses declared public that the guard made private")
                            .tag("reason", reason.token())
                            .register(registry);
                }
            };
        }
    }

    /** Observations of responses with a policy, if the application has an observation registry. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    @ConditionalOnBean(ObservationRegistry.class)
    @ConditionalOnBooleanProperty(name = "quire.enabled", matchIfMissing = true)
    static final class ObservationConfiguration {

        @Bean
        @ConditionalOnMissingBean
        FragmentObserver fragmentObserver(ObservationRegistry registry) {
            return new MicrometerFragmentObserver(registry);
        }
    }
}
