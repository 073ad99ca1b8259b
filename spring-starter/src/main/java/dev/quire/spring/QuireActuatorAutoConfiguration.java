package dev.quire.spring;

import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The actuator's endpoint {@code quire}, and masking of our secrets in other endpoints. */
@AutoConfiguration(after = QuireAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(FragmentPolicies.class)
public final class QuireActuatorAutoConfiguration {

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
