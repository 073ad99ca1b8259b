package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * The guarantees of the coalescer on several threads. The duration in seconds is the system
 * property {@code quire.crowd.seconds}.
 */
class CrowdTest {
    private static final Duration TIME =
            Duration.ofSeconds(Integer.getInteger("quire.crowd.seconds", 3));
    private static final int FEWEST_ROUNDS = 300;

    @Test
    void everyReaderIsAnsweredOnceAndEveryPageIsFetchedOnceAtATime() throws Exception {
        var crowd = new Crowd();
        long end = System.nanoTime() + TIME.toNanos();
        int rounds = 0;

        while (crowd.faults().isEmpty() && (rounds < FEWEST_ROUNDS || System.nanoTime() < end)) {
            crowd.round(rounds);
            rounds++;
        }

        assertThat(crowd.faults()).isEmpty();
        crowd.disband();
        assertThat(crowd.ways()).containsExactlyInAnyOrder(Crowd.Way.values());
        assertThat(crowd.joined()).isGreaterThan(rounds);
    }
}
