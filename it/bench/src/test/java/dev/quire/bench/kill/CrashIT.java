package dev.quire.bench.kill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.bench.kill.KilledProxy.Launch;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Fewer kills than {@code bin/crash} has, with another seed each time, which is printed. */
@Timeout(600)
class CrashIT {
    private static final int KILLS = 20;
    private static final int PROXIES = 5;

    @TempDir private Path folder;

    private final long seed = System.currentTimeMillis();

    @Test
    void killedProcessesLeaveNothingWrongInTheirTiers() throws Exception {
        var evidence = crash().ofTiers(KILLS);

        assertThat(evidence.kills()).isEqualTo(KILLS);
        assertThat(evidence.violations()).as("%s, seed %d", evidence, seed).isEmpty();
    }

    @Test
    void killedProxiesServeNothingPurged() throws Exception {
        var evidence = crash().ofProxies(PROXIES);

        assertThat(evidence.kills()).isEqualTo(PROXIES);
        assertThat(evidence.violations()).as("%s, seed %d", evidence, seed).isEmpty();
    }

    private Crash crash() {
        System.out.println("seed " + seed);
        return new Crash(folder, Launch.inClassPath(), seed);
    }
}
