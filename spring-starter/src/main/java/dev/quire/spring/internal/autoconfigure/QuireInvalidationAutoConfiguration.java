package dev.quire.spring.internal.autoconfigure;

import dev.quire.spring.internal.invalidate.InvalidationAdvice;
import dev.quire.spring.internal.invalidate.InvalidationFaults;
import dev.quire.spring.internal.invalidate.InvalidationProperties;
import dev.quire.spring.internal.invalidate.InvalidationRules;
import dev.quire.spring.internal.invalidate.QueuedInvalidator;
import dev.quire.spring.internal.invalidate.RecentInvalidations;
import dev.quire.spring.internal.invalidate.Sites;
import dev.quire.spring.internal.invalidate.SpringTransactions;
import dev.quire.spring.internal.invalidate.SurrogateClients;
import dev.quire.spring.internal.invalidate.SurrogateProperties;
import dev.quire.spring.internal.invalidate.TagInvalidation;
import dev.quire.spring.internal.invalidate.Transactions;
import dev.quire.spring.invalidate.EsiInvalidator;
import dev.quire.spring.invalidate.InvalidatesFragments;
import dev.quire.spring.invalidate.SurrogateClient;
import dev.quire.spring.invalidate.SurrogateConnectionDetails;
import io.micrometer.observation.ObservationRegistry;
import java.net.URI;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.aop.Advisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Configures {@link InvalidatesFragments} and {@link EsiInvalidator}. It comes after the
 * configuration of transactions, so that its advice runs inside theirs.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "quire.enabled", matchIfMissing = true)
@EnableConfigurationProperties({SurrogateProperties.class, InvalidationProperties.class})
@Import(QuireInvalidationAutoConfiguration.Proxies.class)
public final class QuireInvalidationAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    SurrogateConnectionDetails surrogateConnectionDetails(SurrogateProperties properties) {
        return new FromProperties(properties);
    }

    @Bean
    @ConditionalOnMissingBean
    SurrogateClients surrogateClients(
            SurrogateConnectionDetails details,
            SurrogateProperties properties,
            InvalidationProperties invalidation) {
        return SurrogateClients.of(details, properties.timeout(), invalidation.ack());
    }

    @Bean
    @ConditionalOnMissingBean
    RecentInvalidations recentInvalidations(ObjectProvider<Clock> clock) {
        return new RecentInvalidations(clock.getIfUnique(Clock::systemUTC));
    }

    @Bean
    @ConditionalOnMissingBean(EsiInvalidator.class)
    QueuedInvalidator esiInvalidator(
            InvalidationProperties properties,
            SurrogateClients configured,
            ObjectProvider<SurrogateClient> others,
            ObjectProvider<Transactions> transactions,
            ObjectProvider<ObservationRegistry> observations,
            RecentInvalidations recent,
            InvalidationFaults faults) {
        var clients = new ArrayList<>(configured.clients());
        others.orderedStream().forEach(clients::add);
        return new QueuedInvalidator(
                transactions.getIfUnique(() -> Transactions.NONE),
                properties,
                clients,
                observations.getIfUnique(() -> ObservationRegistry.NOOP),
                recent,
                faults);
    }

    @Bean
    @ConditionalOnMissingBean(TagInvalidation.class)
    TagInvalidation tagInvalidation(EsiInvalidator invalidator) {
        return invalidator::tags;
    }

    @Bean
    @ConditionalOnMissingBean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static InvalidationFaults invalidationFaults() {
        return new InvalidationFaults();
    }

    @Bean
    @ConditionalOnMissingBean(name = "invalidationAdvisor")
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor invalidationAdvisor(
            ObjectProvider<EsiInvalidator> invalidator,
            ObjectProvider<InvalidationProperties> properties,
            InvalidationFaults faults) {
        var rules = new InvalidationRules();
        return new DefaultPointcutAdvisor(
                rules,
                new InvalidationAdvice(
                        rules,
                        invalidator::getObject,
                        () -> new Sites(properties.getObject().sites()),
                        faults));
    }

    /** Delays invalidations until commit, if Spring's transactions are present. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(TransactionSynchronization.class)
    static final class TransactionConfiguration {

        @Bean
        @ConditionalOnMissingBean(Transactions.class)
        SpringTransactions quireTransactions() {
            return new SpringTransactions();
        }
    }

    /** Registers Spring's auto-proxy creator, as transactions do. */
    static final class Proxies implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(
                AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }

    /** The connection details from the properties. */
    private record FromProperties(SurrogateProperties properties)
            implements SurrogateConnectionDetails {

        @Override
        public List<URI> urls() {
            return properties.urls();
        }

        @Override
        public SurrogateConnectionDetails.Type type() {
            return properties.type();
        }

        @Override
        public Optional<String> token() {
            return Optional.ofNullable(properties.token());
        }
    }
}
