package dev.quire.spring.internal.invalidate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.quire.spring.internal.autoconfigure.QuireInvalidationAutoConfiguration;
import dev.quire.spring.invalidate.EsiInvalidator;
import dev.quire.spring.invalidate.InvalidatesFragments;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Invalidations while a transaction completes: with a real database. */
class AfterCommitTest {

    private final ApplicationContextRunner application =
            new ApplicationContextRunner()
                    .withConfiguration(
                            AutoConfigurations.of(
                                    DataSourceAutoConfiguration.class,
                                    DataSourceTransactionManagerAutoConfiguration.class,
                                    TransactionAutoConfiguration.class,
                                    QuireInvalidationAutoConfiguration.class))
                    .withPropertyValues("spring.datasource.url=jdbc:h2:mem:completion")
                    .withUserConfiguration(InvalidatesFragmentsTest.Newsroom.class)
                    .withBean(Listeners.class);

    /**
     * Returns the tags that the surrogate receives, each as often as it is sent.
     *
     * @param work runs in a transaction
     */
    private List<String> told(BiConsumer<EsiInvalidator, ApplicationContext> work) {
        var told = new CopyOnWriteArrayList<String>();
        application.run(context -> {
            assertThat(context).hasNotFailed();
            var invalidator = context.getBean(EsiInvalidator.class);
            transaction(context, false)
                    .executeWithoutResult(status -> work.accept(invalidator, context));
            invalidator.flush().toCompletableFuture().join();
            context.getBean(InvalidatesFragmentsTest.Listener.class)
                    .told
                    .forEach(one -> told.addAll(one.tags()));
        });
        return told;
    }

    private static TransactionTemplate transaction(ApplicationContext context, boolean isNew) {
        var template = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        if (isNew) {
            template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        }
        return template;
    }

    private static void afterCommit(Runnable work) {
        TransactionSynchronizationManager.registerSynchronization(
                new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        work.run();
                    }
                });
    }

    private static void afterCompletion(Runnable work) {
        TransactionSynchronizationManager.registerSynchronization(
                new TransactionSynchronization() {
                    @Override
                    public void afterCompletion(int status) {
                        work.run();
                    }
                });
    }

    @Test
    void anInvalidationAfterTheCommitIsSent() {
        assertThat(told((invalidator, context) -> afterCommit(() -> invalidator.tags("after"))))
                .containsExactly("after");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anInvalidationAfterTheCommitIsSentBesideEarlierOnes(boolean isCollectedFirst) {
        var told =
                told((invalidator, context) -> {
                    if (isCollectedFirst) {
                        invalidator.tags("before");
                    }
                    afterCommit(() -> invalidator.tags("after"));
                    if (!isCollectedFirst) {
                        invalidator.tags("before");
                    }
                });

        assertThat(told).containsExactly("before", "after");
    }

    @Test
    void whatIsCollectedIsSentThoughOtherWorkAfterTheCommitFails() {
        var told =
                told((invalidator, context) ->
                        assertThatIllegalStateException()
                                .isThrownBy(() ->
                                        transaction(context, true)
                                                .executeWithoutResult(status -> {
                                                    afterCommit(() -> {
                                                        throw new IllegalStateException("a fault");
                                                    });
                                                    invalidator.tags("before");
                                                })));

        assertThat(told).containsExactly("before");
    }

    @Test
    void anInvalidationAfterTheCompletionIsSentAtOnce() {
        var told =
                told((invalidator, context) -> {
                    invalidator.tags("before");
                    afterCommit(() -> afterCompletion(() -> invalidator.tags("registered-late")));
                    afterCompletion(() -> invalidator.tags("completed"));
                });

        assertThat(told).containsExactly("before", "completed", "registered-late");
    }

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true", "false,false"})
    void aTransactionOfItsOwnAfterTheCommitDecidesForItself(
            boolean isCollectedBefore, boolean isRolledBack) {
        var told =
                told((invalidator, context) -> {
                    if (isCollectedBefore) {
                        invalidator.tags("before");
                    }
                    afterCommit(() -> {
                        transaction(context, true)
                                .executeWithoutResult(status -> {
                                    invalidator.tags("inside");
                                    if (isRolledBack) {
                                        status.setRollbackOnly();
                                    }
                                });
                        invalidator.tags("after");
                    });
                });

        assertThat(told.contains("before")).isEqualTo(isCollectedBefore);
        assertThat(told.contains("inside")).isEqualTo(!isRolledBack);
        assertThat(told).contains("after").doesNotHaveDuplicates();
    }

    @Test
    void aRollbackSendsNothing() {
        var told =
                told((invalidator, context) ->
                        transaction(context, true)
                                .executeWithoutResult(status -> {
                                    invalidator.tags("before");
                                    afterCommit(() -> invalidator.tags("after"));
                                    status.setRollbackOnly();
                                }));

        assertThat(told).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void listenersOfTheTransactionInvalidate(boolean isCollectedBefore) {
        var told =
                told((invalidator, context) -> {
                    if (isCollectedBefore) {
                        invalidator.tags("before");
                    }
                    context.publishEvent(new Revised("7"));
                });

        assertThat(told.contains("before")).isEqualTo(isCollectedBefore);
        assertThat(told)
                .contains("committed-7", "annotated-7", "completed-7")
                .doesNotHaveDuplicates();
    }

    record Revised(String aid) {}

    static class Listeners {
        private final EsiInvalidator invalidator;

        Listeners(EsiInvalidator invalidator) {
            this.invalidator = invalidator;
        }

        @TransactionalEventListener
        public void committed(Revised event) {
            invalidator.tags("committed-" + event.aid());
        }

        @TransactionalEventListener
        @InvalidatesFragments(tags = "annotated-#{#event.aid()}")
        public void annotated(Revised event) {}

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
        public void completed(Revised event) {
            invalidator.tags("completed-" + event.aid());
        }
    }
}
