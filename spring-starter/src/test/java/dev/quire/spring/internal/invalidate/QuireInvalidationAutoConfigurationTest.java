package dev.quire.spring.internal.invalidate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.spring.internal.autoconfigure.QuireInvalidationActuatorAutoConfiguration;
import dev.quire.spring.internal.autoconfigure.QuireInvalidationAutoConfiguration;
import dev.quire.spring.invalidate.EsiInvalidator;
import dev.quire.spring.invalidate.Invalidation;
import dev.quire.spring.invalidate.InvalidationReport;
import dev.quire.spring.invalidate.SurrogateConnectionDetails;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.support.TransactionSynchronization;

/** The configured beans, and when they back off. */
class QuireInvalidationAutoConfigurationTest {

    private final ApplicationContextRunner application =
            new ApplicationContextRunner()
                    .withConfiguration(
                            AutoConfigurations.of(
                                    QuireInvalidationAutoConfiguration.class,
                                    QuireInvalidationActuatorAutoConfiguration.class));

    @Test
    void everythingIsThereByDefaultAndNobodyIsTold() {
        application.run(context -> {
            assertThat(context)
                    .hasNotFailed()
                    .hasSingleBean(EsiInvalidator.class)
                    .hasSingleBean(InvalidationHistory.class)
                    .hasSingleBean(TagInvalidation.class)
                    .hasSingleBean(SurrogateConnectionDetails.class)
                    .hasSingleBean(SpringTransactions.class)
                    .hasSingleBean(SurrogateHealth.class)
                    .hasSingleBean(InvalidationMeters.class);
            context.getBean(EsiInvalidator.class).tags("front");
            assertThat(context.getBean(QueuedInvalidator.class).queues()).isEmpty();
        });
    }

    @Test
    void itWorksWithoutTransactionsHealthAndMeters() {
        application
                .withClassLoader(
                        new FilteredClassLoader(
                                TransactionSynchronization.class,
                                HealthIndicator.class,
                                MeterBinder.class))
                .run(context -> {
                    assertThat(context)
                            .hasNotFailed()
                            .hasSingleBean(EsiInvalidator.class)
                            .doesNotHaveBean("quireTransactions")
                            .doesNotHaveBean("quireHealthIndicator")
                            .doesNotHaveBean("invalidationMeters");
                    context.getBean(EsiInvalidator.class).tags("front");
                });
    }

    @Test
    void oneSwitchTurnsAllOfItOff() {
        application
                .withPropertyValues("quire.enabled=false")
                .run(context ->
                        assertThat(context)
                                .hasNotFailed()
                                .doesNotHaveBean(EsiInvalidator.class)
                                .doesNotHaveBean("invalidationAdvisor")
                                .doesNotHaveBean(SurrogateHealth.class));
    }

    @Test
    void ownBeansReplaceOurs() {
        application
                .withBean(EsiInvalidator.class, Own::new)
                .run(context -> {
                    assertThat(context)
                            .hasNotFailed()
                            .hasSingleBean(EsiInvalidator.class)
                            .doesNotHaveBean(SurrogateHealth.class)
                            .doesNotHaveBean(InvalidationMeters.class);
                    context.getBean(TagInvalidation.class).invalidate("front");
                    assertThat(context.getBean(Own.class).told)
                            .isEqualTo(Invalidation.ofTags("front"));
                });
    }

    @Test
    void connectionDetailsReplaceTheProperties() {
        application
                .withPropertyValues("quire.surrogate.urls=http://127.0.0.1:1")
                .withBean(
                        SurrogateConnectionDetails.class,
                        () ->
                                new Details(
                                        List.of(URI.create("http://127.0.0.1:2")),
                                        SurrogateConnectionDetails.Type.VARNISH,
                                        Optional.empty()))
                .run(context ->
                        assertThat(context.getBean(QueuedInvalidator.class).queues())
                                .singleElement()
                                .satisfies(queue -> {
                                    assertThat(queue.client().name())
                                            .isEqualTo("http://127.0.0.1:2");
                                    assertThat(queue.client().product()).isEqualTo("varnish");
                                }));
    }

    @Test
    void surrogatesAreToldWhatToWaitFor() {
        try (var endpoint = Endpoint.start()) {
            application
                    .withPropertyValues(
                            "quire.surrogate.urls=" + endpoint.url(),
                            "quire.invalidation.ack=fleet")
                    .run(context -> {
                        context.getBean(QueuedInvalidator.class).tags("a");
                        assertThat(endpoint.next().body()).endsWith(",\"ack\":\"fleet\"}");
                    });
        }
    }

    @ParameterizedTest
    @CsvSource({
        "quire.surrogate.urls=127.0.0.1:9901, quire.surrogate.urls",
        "quire.surrogate.urls=ftp://a.example, quire.surrogate.urls",
        "quire.surrogate.urls=http://user:pass@a.example, quire.surrogate.urls",
        "quire.surrogate.type=nginx, quire.surrogate.type",
        "quire.surrogate.token=a b, quire.surrogate.token",
        "quire.surrogate.timeout=0s, quire.surrogate.timeout",
        "quire.invalidation.queue=0, quire.invalidation.queue",
        "quire.invalidation.max-wait=-1s, quire.invalidation.max-wait",
        "quire.invalidation.retry-after=0s, quire.invalidation.retry-after",
        "quire.invalidation.give-up-after=-1s, quire.invalidation.give-up-after",
        "quire.invalidation.repeat-after=0s, quire.invalidation.repeat-after",
        "quire.invalidation.ack=all, quire.invalidation.ack",
        "quire.invalidation.drain=-1s, quire.invalidation.drain",
        "quire.invalidation.sites=https://a.example/path, quire.invalidation.sites"
    })
    void aWrongPropertyStopsTheApplicationAndNamesItself(String wrong, String key) {
        application
                .withPropertyValues(wrong)
                .run(context -> {
                    var messages = new StringBuilder();
                    for (var cause = context.getStartupFailure();
                            cause != null;
                            cause = cause.getCause()) {
                        messages.append(cause.getMessage()).append('\n');
                    }
                    assertThat(messages.toString()).contains(key);
                });
    }

    @Test
    void aTokenThatTheEnvironmentLeavesEmptyIsNone() {
        application
                .withPropertyValues("quire.surrogate.token=")
                .run(context ->
                        assertThat(context.getBean(SurrogateConnectionDetails.class).token())
                                .isEmpty());
    }

    @Test
    void fastlyNeedsAKey() {
        application
                .withPropertyValues(
                        "quire.surrogate.type=fastly",
                        "quire.surrogate.urls=https://api.fastly.com/service/S1")
                .run(context ->
                        assertThat(context)
                                .getFailure()
                                .rootCause()
                                .hasMessageContaining("quire.surrogate.token"));
    }

    private record Details(
            List<URI> urls, SurrogateConnectionDetails.Type type, Optional<String> token)
            implements SurrogateConnectionDetails {}

    /** A custom invalidator. */
    static final class Own implements EsiInvalidator {
        private Invalidation told = Invalidation.ofTags();

        @Override
        public void purge(Invalidation invalidation) {
            told = invalidation;
        }

        @Override
        public CompletionStage<InvalidationReport> flush() {
            return CompletableFuture.completedStage(new InvalidationReport(List.of()));
        }
    }
}
