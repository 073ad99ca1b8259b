package dev.quire.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HandSetClockTest {
    private final HandSetClock clock = TestClock.handSet();

    @Test
    void bothTimesMoveTogetherAndOnlyByHand() {
        var now = clock.now();
        var wall = clock.wall();

        clock.advance(Duration.ofSeconds(31));

        assertThat(clock.now()).isEqualTo(now.plusSeconds(31));
        assertThat(clock.wall()).isEqualTo(wall.plusSeconds(31)).isEqualTo(clock.instant());
    }

    @Test
    void wallClockJumpsAlone() {
        var now = clock.now();
        var wall = clock.wall();

        clock.jumpWallClock(Duration.ofHours(-1));

        assertThat(clock.now()).isEqualTo(now);
        assertThat(clock.wall()).isEqualTo(wall.minusSeconds(3600));
    }

    @Test
    void timeDoesNotGoBack() {
        assertThatThrownBy(() -> clock.advance(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("time only goes on");
    }
}
