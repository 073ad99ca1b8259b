package dev.quire.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;
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

    /** The formulas and the simulation of the same load. */
    @ParameterizedTest
    @CsvSource({"2,500,0", "10,2000,1", "50,4000,1"})
    void formulasAreCloseToTheSimulation(int nodes, double requests, double purges) {
        var load = load(nodes, requests, purges);

        var size = Sizing.of(load, 2, -1);

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
        var size = Sizing.of(load(10, 100, 1), 4, 0.5);

        assertThat(size.connections()).isEqualTo(10 * (4 + 2));
        assertThat(size.recordBytes()).isEqualTo(2000 * (1536 + 130));
        // For 25 hours, a million entries at most.
        assertThat(size.logBytes()).isEqualTo(90_000 * 200);
        assertThat(Sizing.of(load(10, 100, 100), 4, 0.5).logBytes()).isEqualTo(1_000_000 * 200);
        assertThat(size.getsPerSecond()).isEqualTo(50);
    }

    /** As measured by {@code bin/simulate --calibrate}. */
    @Test
    void recordsTakeTheNextSizeOfTheAllocator() {
        assertThat(Sizing.recordMemory(4096)).isEqualTo(5120 + 130);
        assertThat(Sizing.recordMemory(4096 - 350)).isEqualTo(4096 + 130);
        assertThat(Sizing.recordMemory(8192)).isEqualTo(10240 + 130);
    }
}
