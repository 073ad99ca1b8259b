package dev.quire.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.bench.kill.KilledProxy.Launch;
import dev.quire.bench.simulation.Calibration.Figures;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A shorter run than {@code bin/simulate --calibrate} has. */
@Timeout(120)
class CalibrationIT {
    @TempDir private Path folder;

    @Test
    void theModelAsksTheOriginAndTheStoreAsOftenAsProxiesDo() throws Exception {
        var load = Calibration.load(Duration.ofSeconds(14), 3);

        var real =
                Calibration.measure(
                        load,
                        new Calibration.Terms(Launch.inClassPath(), "redis-server", "64MiB"),
                        folder);

        var simulated = Figures.of(World.run(load, Arrangement.ALL, null));
        assertThat(real.origin()).isGreaterThan(500);
        assertThat(real.inMemory()).isBetween(500, load.objects());
        assertThat(Calibrate.difference(real, simulated))
                .as("%s", Calibrate.table(real, simulated))
                .isLessThanOrEqualTo(0.2);
        // Nodes that share less are not within the same limit.
        assertThat(Calibrate.difference(real, Figures.of(World.run(load, Arrangement.LOG, null))))
                .isGreaterThan(0.5);
    }
}
