package dev.quire.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quire.bench.kill.KilledProxy.Launch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A shorter run than {@code bin/bench fleet} has, with another seed each time, which is printed.
 */
@Timeout(600)
class FleetIT {
    private static final String STORE = "redis-server";

    @TempDir private Path folder;

    @Test
    void aFleetKeepsItsPromisesWhileItIsDisturbed() throws Exception {
        var toxiproxy = Toxiproxy.build(Path.of(""));
        if (System.getenv("CI") != null) {
            assertThat(toxiproxy).as("Go, which builds toxiproxy (see bin/test)").isPresent();
        }
        assumeTrue(toxiproxy.isPresent(), "Go is not installed, which builds toxiproxy");

        var terms = new Fleet.Terms(3, Optional.of(STORE), toxiproxy, true, Fleet.SMALL_MEMORY);
        var outcome =
                run(
                        terms.validating(System.currentTimeMillis() % 2 == 0),
                        Duration.ofMinutes(2),
                        true);

        assertThat(outcome.verdict().purges()).isGreaterThan(300);
        assertThat(outcome.isSound()).as("%s", outcome).isTrue();
    }

    @Test
    void aFleetKeepsItsPromisesWhileReplicasReplaceTheirPrimaryServers() throws Exception {
        try (var group = StoreGroup.sentinels(STORE, folder)) {
            var terms =
                    new Fleet.Terms(3, Optional.empty(), Optional.empty(), true, Fleet.SMALL_MEMORY)
                            .with(group);

            var outcome = run(terms, Duration.ofSeconds(45), true);

            assertThat(outcome.verdict().purges()).isGreaterThan(60);
            assertThat(outcome.isSound()).as("%s", outcome).isTrue();
        }
    }

    /** The checker finds what it looks for. */
    @Test
    void proxiesThatShareNothingBreakTheSamePromises() throws Exception {
        var terms =
                new Fleet.Terms(3, Optional.empty(), Optional.empty(), true, Fleet.SMALL_MEMORY);
        var outcome = run(terms, Duration.ofSeconds(20), false);

        var verdict = outcome.verdict();
        assertThat(outcome.faults()).isEmpty();
        assertThat(verdict.violations())
                .containsOnlyKeys(Promise.FLEET, Promise.HEALED, Promise.SOFT);
        assertThat(verdict.delayMillis(99)).isGreaterThan(1000);
    }

    private Trial.Outcome run(Fleet.Terms terms, Duration duration, boolean isDisturbed)
            throws Exception {
        long seed = System.currentTimeMillis();
        System.out.println("seed " + seed);
        return new Trial(terms, duration, 200, 3, false, isDisturbed, seed)
                .run(Launch.inClassPath(), folder);
    }
}
