package dev.quire.bench.kill;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class EvidenceTest {
    private static final Evidence SOUND = new Evidence(1, 3.5, 0, 2, 0, 0, 10, 5, 0, 0, List.of());

    @Test
    void evidenceNeedsPurgesAndHits() {
        assertThat(SOUND.isSound()).isTrue();
        assertThat(Evidence.NONE.isSound()).isFalse();
        assertThat(new Evidence(1, 3.5, 0, 0, 2, 0, 10, 5, 0, 0, List.of()).isSound()).isFalse();
        assertThat(new Evidence(1, 3.5, 0, 2, 0, 0, 10, 0, 0, 0, List.of()).isSound()).isFalse();
    }

    @Test
    void evidenceNeedsMostDirectoriesInUse() {
        var used = new Evidence(2, 0, 0, 2, 0, 1, 10, 5, 0, 0, List.of());
        var givenUp = new Evidence(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, List.of());

        assertThat(used.isSound()).isTrue();
        assertThat(used.plus(givenUp).violations())
                .containsExactly(
                        "expected most directories in use at the kills, found 2 of 3 given up");
    }

    @Test
    void oneViolationIsEnough() {
        var wrong = new Evidence(1, 0, 0, 0, 0, 0, 1, 0, 1, 0, List.of());
        var revived = new Evidence(1, 0, 0, 0, 0, 0, 1, 0, 0, 1, List.of());
        var failed = new Evidence(1, 0, 0, 0, 0, 0, 1, 0, 0, 0, List.of("status 502"));

        assertThat(SOUND.plus(wrong).isSound()).isFalse();
        assertThat(SOUND.plus(revived).isSound()).isFalse();
        assertThat(SOUND.plus(failed).isSound()).isFalse();
        assertThat(SOUND.plus(SOUND).kills()).isEqualTo(2);
        assertThat(SOUND.plus(failed).violations()).containsExactly("status 502");
        assertThat(wrong.plus(revived).violations()).hasSize(4);
    }
}
