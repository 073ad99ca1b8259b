package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HitForMissTest {
    private final HandSetTime time = new HandSetTime();

    @Test
    void noteStandsForItsTimeOnly() {
        var notes = new HitForMiss(Duration.ofMinutes(2), time::now);
        notes.note(PAGE);

        time.pass(Duration.ofSeconds(119));
        assertThat(notes.isNoted(PAGE, false)).isTrue();
        time.pass(Duration.ofSeconds(1));

        assertThat(notes.isNoted(PAGE, false)).isFalse();
    }

    @Test
    void noteThatIsForgottenIsGone() {
        var notes = new HitForMiss(Duration.ofMinutes(2), time::now);
        notes.note(PAGE);

        notes.forget(PAGE);

        assertThat(notes.isNoted(PAGE, false)).isFalse();
    }

    @Test
    void notesThatStandForNoTimeAreNone() {
        var notes = new HitForMiss(Duration.ZERO, time::now);

        notes.note(PAGE);

        assertThat(notes.isNoted(PAGE, false)).isFalse();
    }
}
