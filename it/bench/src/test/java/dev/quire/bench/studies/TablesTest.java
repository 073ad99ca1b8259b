package dev.quire.bench.studies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.bench.peers.Outcome;
import dev.quire.bench.peers.Results.Case;
import dev.quire.bench.peers.Results.Series;
import dev.quire.bench.peers.Round;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TablesTest {

    @Test
    void figuresThatMayBeTooLowAreMarked() {
        var one =
                new Case(
                        "load",
                        "load",
                        8,
                        List.of(
                                series("calm", round(0.5, 0.01), round(0.5, 0.01)),
                                series("limited", round(0.5, 0.01), round(0.95, 0.01)),
                                series("disturbed", round(0.5, 0.06), round(0.5, 0.01))));

        assertThat(Tables.rates(List.of(one), "calm"))
                .contains("| calm | 1,000 · 1.00 × · 200 µs |")
                .contains("| limited | 1,000 † · 1.00 × · 200 µs |")
                .contains("| disturbed | 1,000 ‡ · 1.00 × · 200 µs |");
    }

    private static Series series(String name, Round... rounds) {
        return new Series(name, List.of(rounds), 1 << 20, Optional.empty());
    }

    /** A thousand requests in a second. */
    private static Round round(double loadSeconds, double others) {
        return new Round(
                new Outcome(1000, 1, 1_000_000, 0, 1, 2),
                0.2,
                loadSeconds,
                1,
                0,
                others,
                Optional.empty());
    }
}
