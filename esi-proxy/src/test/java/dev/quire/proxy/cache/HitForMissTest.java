package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.StorageRefusal;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HitForMissTest {
    private final HandSetTime time = new HandSetTime();

    @Test
    void noteStandsForItsTimeOnly() {
        var notes = new HitForMiss(Duration.ofMinutes(2), time::now);
        notes.note(PAGE, StorageRefusal.NO_STORE);

        time.pass(Duration.ofSeconds(119));
        assertThat(notes.isNoted(PAGE, Fields.EMPTY, false)).isTrue();
        time.pass(Duration.ofSeconds(1));

        assertThat(notes.isNoted(PAGE, Fields.EMPTY, false)).isFalse();
    }

    @Test
    void noteThatIsForgottenIsGone() {
        var notes = new HitForMiss(Duration.ofMinutes(2), time::now);
        notes.note(PAGE, StorageRefusal.NO_STORE);

        notes.forget(PAGE);

        assertThat(notes.isNoted(PAGE, Fields.EMPTY, false)).isFalse();
    }

    @Test
    void noteIsForRequestsForWhichItsReasonHolds() {
        var notes = new HitForMiss(Duration.ofMinutes(2), time::now);
        var cookie = Fields.of("Cookie", "id=1");
        var credentials = Fields.of("Authorization", "Basic YTpi");

        notes.note(PAGE, StorageRefusal.VARY_COOKIE);
        assertThat(notes.isNoted(PAGE, cookie, false)).isTrue();
        assertThat(notes.isNoted(PAGE, credentials, false)).isFalse();
        notes.note(PAGE, StorageRefusal.AUTHORIZATION);
        assertThat(notes.isNoted(PAGE, credentials, false)).isTrue();
        assertThat(notes.isNoted(PAGE, Fields.EMPTY, false)).isFalse();
        notes.note(PAGE, StorageRefusal.NO_STORE);
        notes.note(PAGE, StorageRefusal.AUTHORIZATION);
        assertThat(notes.isNoted(PAGE, Fields.EMPTY, false)).isTrue();
        notes.note(PAGE, StorageRefusal.ADMISSION);
        assertThat(notes.isNoted(PAGE, Fields.EMPTY, false)).isFalse();
    }

    @Test
    void notesThatStandForNoTimeAreNone() {
        var notes = new HitForMiss(Duration.ZERO, time::now);

        notes.note(PAGE, StorageRefusal.NO_STORE);

        assertThat(notes.isNoted(PAGE, Fields.EMPTY, false)).isFalse();
    }
}
