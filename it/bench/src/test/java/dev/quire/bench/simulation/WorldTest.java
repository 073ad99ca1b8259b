package dev.quire.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.bench.simulation.Fault.Kind;
import dev.quire.bench.simulation.Tally.Answer;
import dev.quire.bench.simulation.Tally.Command;
import dev.quire.bench.simulation.Tally.Operation;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WorldTest {
    private static final Duration LIFETIME = Duration.ofSeconds(10);

    /** Many requests for each object, from the first moment on. */
    private static Load load(int nodes, int objects, int memory, double purges) {
        return new Load(
                nodes,
                objects,
                2000,
                purges,
                0,
                memory,
                1000,
                LIFETIME,
                Duration.ofMillis(1),
                Duration.ZERO,
                Duration.ofSeconds(35),
                1,
                7);
    }

    @ParameterizedTest
    @EnumSource
    void theSameSeedGivesTheSameCounts(Arrangement shared) {
        var load = load(5, 200, 20, 3);

        var one = World.run(load, shared, null);
        var other = World.run(load, shared, null);

        assertThat(other).usingRecursiveComparison().ignoringFields("timeline").isEqualTo(one);
    }

    @Test
    void anotherSeedGivesOtherCounts() {
        var load = load(5, 200, 20, 3).withSeed(8);

        assertThat(World.run(load, Arrangement.ALL, null).operations())
                .isNotEqualTo(World.run(load.withSeed(9), Arrangement.ALL, null).operations());
    }

    /** At 0, 10, 20 and 30 s. */
    @ParameterizedTest
    @EnumSource
    void oneObjectIsFetchedOnceALifetime(Arrangement shared) {
        var run = World.run(load(1, 1, 1, 0), shared, null);

        assertThat(run.origin()).isEqualTo((long) Math.ceil(35.0 / LIFETIME.toSeconds()));
    }

    @Test
    void nodesThatShareNothingFetchEachForItself() {
        assertThat(World.run(load(3, 1, 1, 0), Arrangement.LOG, null).origin()).isEqualTo(3 * 4);
        assertThat(World.run(load(3, 1, 1, 0), Arrangement.ALL, null).origin()).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource
    void eachRequestIsAnsweredOnce(Arrangement shared) {
        var run = World.run(load(4, 100, 10, 5), shared, null);

        long answered = Stream.of(Answer.values()).mapToLong(run::answers).sum();
        assertThat(answered).isEqualTo(run.requests()).isGreaterThan(35 * 1900);
        assertThat(run.answers(Answer.ORIGIN)).isLessThanOrEqualTo(run.origin());
        assertThat(run.answers(Answer.SHARED) > 0).isEqualTo(shared.hasStore());
    }

    /**
     * A miss asks for the record and for the lease, and the response is written: two objects, the
     * first time. Three times they have expired in memory, and the expired record is returned
     * before the lease.
     */
    @Test
    void eachFetchAsksTheStoreAsTheProductDoes() {
        var load = load(1, 2, 2, 0);

        var run = World.run(load, Arrangement.ALL, null);

        assertThat(run.origin()).isEqualTo(8);
        assertThat(run.operations(Operation.LEASE)).isEqualTo(2 + 2 * 6);
        assertThat(run.operations(Operation.PUT)).isEqualTo(8);
        assertThat(run.commands(Command.SET)).isEqualTo(16);
        assertThat(run.commands(Command.XADD)).isZero();
        assertThat(run.operations(Operation.TICK)).isEqualTo(35);
    }

    @Test
    void withoutTheLogPurgesDoNotHoldInOtherNodes() {
        var load = load(4, 40, 40, 5);

        var without = World.run(load, Arrangement.LEASE, null);
        var with = World.run(load, Arrangement.ALL, null);

        assertThat(without.longestStaleSeconds()).isBetween(5.0, 11.0);
        assertThat(with.longestStaleSeconds()).isLessThan(0.01);
        assertThat(with.herd(100)).isLessThanOrEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsOutdatedAfterAFault(Kind kind) {
        var fault = new Fault(kind, Duration.ofSeconds(5), Duration.ofSeconds(5));
        var during = load(10, 40, 40, 5);
        var after = during.during(Duration.ofSeconds(12), Duration.ofSeconds(20));

        assertThat(World.run(after, Arrangement.ALL, fault).longestStaleSeconds()).isLessThan(0.01);
        assertThat(World.run(during, Arrangement.ALL, fault).longestStaleSeconds())
                .isBetween(kind == Kind.PARTITION ? 1.0 : 0.0, kind == Kind.NODES ? 0.01 : 7.0);
    }

    @Test
    void withoutTheStoreEachNodeFetchesForItself() {
        var fault = new Fault(Kind.STORE, Duration.ofSeconds(5), Duration.ofSeconds(5));
        var load = load(10, 100, 10, 0);

        var bySecond = World.run(load, Arrangement.ALL, fault).originBySecond();

        assertThat(Arrays.stream(bySecond, 1, 5).sum()).isLessThan(10);
        assertThat(Arrays.stream(bySecond, 6, 9).sum()).isGreaterThan(1000);
    }
}
