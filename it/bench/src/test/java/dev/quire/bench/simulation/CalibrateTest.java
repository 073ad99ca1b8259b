package dev.quire.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.quire.bench.simulation.Calibration.Figures;
import dev.quire.bench.simulation.Tally.Command;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CalibrateTest {

    @Test
    void theLargestDifferenceCounts() {
        var real = new Figures(100, Map.of(Command.GET, 50L, Command.SET, 10L), 0, null);
        var simulated = new Figures(90, Map.of(Command.GET, 51L, Command.SET, 13L), 0, null);

        assertThat(Calibrate.difference(real, simulated)).isEqualTo(0.3, within(1e-9));
        assertThat(Calibrate.difference(real, real)).isZero();
    }

    @Test
    void aCommandThatOnlyOneOfThemUsesIsADifference() {
        var real = new Figures(1, Map.of(), 0, null);
        var simulated = new Figures(1, Map.of(Command.XADD, 3L), 0, null);

        assertThat(Calibrate.difference(real, simulated)).isGreaterThan(1);
        assertThat(Calibrate.difference(simulated, real)).isEqualTo(1);
    }
}
