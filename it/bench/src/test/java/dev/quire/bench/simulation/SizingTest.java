package dev.quire.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SizingTest {

    private static Load load(int nodes, double requests, double purges) {
        return new Load(
                nodes,
                2000,
                requests,
                purges,
                0.9,
                2000,
                1000,
                Duration.ofSeconds(20),
                Duration.ofMillis(20),
                Duration.ofSeconds(20),
                Duration.ofSeconds(60),
                1,
                1);
    }

    /** One server, and no purge that waits for all nodes. */
    private static Sizing.Terms terms(int loops, double hitRatio) {
        return new Sizing.Terms(loops, 1, hitRatio, 0);
    }

    /** The formulas and the simulation of the same load. */
    @ParameterizedTest
    @CsvSource({"2,500,0", "10,2000,1", "50,4000,1"})
    void formulasAreCloseToTheSimulation(int nodes, double requests, double purges) {
        var load = load(nodes, requests, purges);

        var size = Sizing.of(load, terms(2, -1));

        var run = World.run(load, Arrangement.ALL, null);
        double seconds = load.measuredSeconds();
        double hits = run.answers(Tally.Answer.MEMORY) / (double) run.requests();
        assertThat(size.hitRatio()).isCloseTo(hits, withinPercentage(15));
        assertThat(size.fetchesPerSecond()).isCloseTo(run.origin() / seconds, withinPercentage(10));
        assertThat(size.requestsPerSecond())
                .isCloseTo(run.operations() / seconds, withinPercentage(10));
        assertThat(size.bytesPerSecond()).isCloseTo(run.bytes() / seconds, withinPercentage(15));
        assertThat(size.busy()).isCloseTo(run.busiest(), withinPercentage(15));
    }

    @Test
    void memoryAndConnectionsAreThoseOfAllObjectsAndNodes() {
        var size = Sizing.of(load(10, 100, 1), terms(4, 0.5));

        assertThat(size.connections()).isEqualTo(10 * (4 + 2));
        assertThat(size.recordBytes()).isEqualTo(2000 * (1536 + 130));
        // For 25 hours, a million entries at most.
        assertThat(size.logBytes()).isEqualTo(90_000 * 200);
        assertThat(Sizing.of(load(10, 100, 100), terms(4, 0.5)).logBytes())
                .isEqualTo(1_000_000 * 200);
        assertThat(size.getsPerSecond()).isEqualTo(50);
    }

    @Test
    void purgeThatWaitsForAllNodesAsksEachOfThem() {
        var load = load(10, 100, 4);
        var without = Sizing.of(load, terms(4, 0.5));

        var with = Sizing.of(load, new Sizing.Terms(4, 1, 0.5, 3));

        // The node that asks, and the answers of the nine others.
        assertThat(with.requestsPerSecond() - without.requestsPerSecond())
                .isCloseTo(3 * 10, within(1e-6));
        double bytes = 3 * 10 * (300 + 200);
        assertThat(with.bytesPerSecond() - without.bytesPerSecond()).isCloseTo(bytes, within(1e-6));
        assertThat(with.busy() - without.busy())
                .isCloseTo(3 * 10 * (15e-6 + 2 * 0.5e-6) + bytes * 1e-9, within(1e-12));
    }

    @Test
    void primaryServersShareTheRecordsAndOneHasTheLog() {
        var load = load(10, 100, 1);
        var one = Sizing.of(load, new Sizing.Terms(4, 1, 0.5, 1));
        var three = Sizing.of(load, new Sizing.Terms(4, 3, 0.5, 1));
        var many = Sizing.of(load, new Sizing.Terms(4, 1_000_000, 0.5, 1));

        // Two proxies with two loops have 26 to a cluster of bin/fleet.
        assertThat(new Sizing.Terms(2, 3, 0.5, 1).connectionsOfNode()).isEqualTo(26 / 2);
        assertThat(three.connections()).isEqualTo(10 * ((4 + 1) * (3 + 1) + 1));
        assertThat(three.requestsPerSecond()).isEqualTo(one.requestsPerSecond());
        double ofRecords = one.busy() - many.busy();
        assertThat(three.busy()).isCloseTo(many.busy() + ofRecords / 3, withinPercentage(1));
    }

    /** As measured by {@code bin/simulate --calibrate}. */
    @Test
    void recordsTakeTheNextSizeOfTheAllocator() {
        assertThat(Sizing.recordMemory(4096)).isEqualTo(5120 + 130);
        assertThat(Sizing.recordMemory(4096 - 350)).isEqualTo(4096 + 130);
        assertThat(Sizing.recordMemory(8192)).isEqualTo(10240 + 130);
    }
}
