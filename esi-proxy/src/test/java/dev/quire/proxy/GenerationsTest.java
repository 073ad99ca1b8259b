package dev.quire.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.policy.ErrorGuard;
import dev.quire.proxy.admin.ConfigurationActions.Generation;
import dev.quire.proxy.admin.ConfigurationActions.Outcome;
import dev.quire.proxy.admin.ReloadTerms;
import dev.quire.proxy.cli.CannotStart;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.LoadedConfiguration;
import dev.quire.proxy.config.Options;
import dev.quire.proxy.config.Problem;
import dev.quire.proxy.log.RecordedLog;
import dev.quire.proxy.metrics.Metrics;
import dev.quire.proxy.path.CurrentParts.Responses;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Configurations on trial that cannot be taken back when they must. */
class GenerationsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String YAML =
            "origins: { a: { urls: ['http://a'] } }\nroutes: [ { origin: a } ]\n";
    private static final ReloadTerms CONFIRM =
            new ReloadTerms(Optional.of(Duration.ofMillis(1)), Optional.empty());

    @TempDir private Path directory;
    private LoadedConfiguration loaded;
    private final RecordedLog log = new RecordedLog();
    private FakeRunning running;
    private Generations generations;

    /** Refuses the first returns. */
    private static final class FakeRunning implements Generations.Running {
        private volatile Configuration configuration;
        private volatile Responses current = new Responses(0, 0);
        private volatile boolean isRefusalTemporary;
        private volatile boolean isDraining;
        private volatile int refusals;
        private volatile long returnedNanos;
        private volatile boolean isReturn;
        private volatile long firstNanos;

        /** So many returns to generation 1 fail. */
        private final AtomicInteger bugs = new AtomicInteger();

        /** Returns to generation 1 that were refused. */
        private final AtomicInteger refused = new AtomicInteger();

        FakeRunning(Configuration configuration) {
            this.configuration = configuration;
        }

        @Override
        public Configuration configuration() {
            return configuration;
        }

        @Override
        public void use(Configuration next, long number, boolean isReturn) throws CannotStart {
            this.isReturn = isReturn;
            if (isDraining) {
                throw CannotStart.atPresent(
                        new Problem(Optional.empty(), "", "it drains", "one that does not"));
            }
            if (number == 1 && bugs.getAndDecrement() > 0) {
                throw new IllegalStateException("for the test");
            }
            if (number == 1 && refused.get() < refusals) {
                if (refused.getAndIncrement() == 0) {
                    firstNanos = System.nanoTime();
                }
                // The share of errors is small from now on.
                current = new Responses(100_000, 20);
                var problem = new Problem(Optional.empty(), "", "is not possible", "another time");
                throw isRefusalTemporary
                        ? CannotStart.atPresent(problem)
                        : new CannotStart(List.of(problem));
            }
            configuration = next;
            returnedNanos = System.nanoTime();
        }

        @Override
        public void reopenFiles() {}

        @Override
        public Responses ofCurrent() {
            return current;
        }

        @Override
        public Responses ofAll() {
            return new Responses(0, 0);
        }
    }

    @BeforeEach
    void start() throws Exception {
        var file = directory.resolve("quire.yml");
        Files.writeString(file, YAML);
        loaded = LoadedConfiguration.of(Options.NONE.withFile(file), warning -> {});
        running = new FakeRunning(loaded.configuration());
        generations = new Generations(loaded, running, new Metrics().configurations(), log);
        Files.writeString(file, YAML + "drain: { timeout: 3s }\n");
    }

    @Test
    void returnThatIsNotPossibleAtPresentIsTriedAgain() {
        refuse(true, 3);

        generations.reload(CONFIRM, false);

        await(() -> current() == 1);
        assertThat(running.configuration()).isEqualTo(loaded.configuration());
        assertThat(Duration.ofNanos(running.returnedNanos - running.firstNanos))
                .isGreaterThanOrEqualTo(Duration.ofMillis(300));
    }

    @Test
    void returnThatFailsIsTriedAgain() {
        running.bugs.set(2);

        generations.reload(CONFIRM, false);

        await(() -> current() == 1);
        assertThat(running.configuration()).isEqualTo(loaded.configuration());
    }

    @Test
    void eachObstacleOfAReturnIsLoggedOnce() {
        running.bugs.set(3);
        refuse(true, 3);

        generations.reload(CONFIRM, false);

        await(() -> current() == 1);
        assertThat(log.lines())
                .filteredOn(line -> line.startsWith("ERROR "))
                .satisfiesExactly(
                        bug -> assertThat(bug).contains("internal-error", "for the test"),
                        refusal ->
                                assertThat(refusal)
                                        .contains("configuration-not-rolled-back", " yet, "));
    }

    @Test
    void returnBecauseOfErrorsIsTriedAgainAlsoWithoutNewErrors() {
        refuse(true, 3);
        running.current = new Responses(20, 20);

        generations.reload(new ReloadTerms(Optional.empty(), ErrorGuard.parse("errors<1%")), false);

        await(() -> current() == 1);
        assertThat(running.refused.get()).isEqualTo(3);
    }

    @Test
    void returnThatIsNotPossibleForAnotherReasonIsTriedOnce() {
        refuse(false, Integer.MAX_VALUE);

        generations.reload(CONFIRM, false);

        await(() ->
                generations.generations().stream()
                        .allMatch(each -> each.confirmWithin().isEmpty()));
        assertThat(current()).isEqualTo(2);
        assertThat(running.refused.get()).isEqualTo(1);
    }

    /** Certificates of a configuration that was used before need not be valid any more. */
    @Test
    void rollbackIsAReturnAlsoToALaterGeneration() throws Exception {
        generations.reload(ReloadTerms.NONE, false);
        Files.writeString(directory.resolve("quire.yml"), YAML + "drain: { timeout: 4s }\n");
        generations.reload(ReloadTerms.NONE, false);
        assertThat(running.isReturn).isFalse();

        generations.rollback(OptionalLong.of(2));
        assertThat(running.isReturn).isTrue();
        generations.rollback(OptionalLong.of(3));

        assertThat(current()).isEqualTo(3);
        assertThat(running.isReturn).isTrue();
    }

    /** The configuration is valid. */
    @Test
    void whatIsNotPossibleAtPresentIsAConflict() throws Exception {
        generations.reload(ReloadTerms.NONE, false);
        running.isDraining = true;
        var conflict = new Outcome.Conflict("it drains", "one that does not");

        assertThat(generations.rollback(OptionalLong.empty())).isEqualTo(conflict);
        Files.writeString(directory.resolve("quire.yml"), YAML + "drain: { timeout: 4s }\n");
        assertThat(generations.reload(ReloadTerms.NONE, false)).isEqualTo(conflict);
        assertThat(current()).isEqualTo(2);
    }

    private void refuse(boolean isTemporary, int times) {
        running.isRefusalTemporary = isTemporary;
        running.refusals = times;
    }

    private long current() {
        return generations.generations().stream()
                .filter(Generation::current)
                .findFirst()
                .orElseThrow()
                .number();
    }

    private static void await(BooleanSupplier reached) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!reached.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            LockSupport.parkNanos(1_000_000);
        }
    }
}
