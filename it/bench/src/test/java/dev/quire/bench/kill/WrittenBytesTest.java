package dev.quire.bench.kill;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class WrittenBytesTest {
    private static final WrittenBytes BEFORE = new WrittenBytes(1_000, 10, 20, 5_000);

    @Test
    void ratioIsThatOfTheStoredResponses() {
        // Of four responses of 100 bytes three are stored, in 390 bytes.
        var after = new WrittenBytes(1_390, 13, 24, 5_400);

        assertThat(after.ratioSince(BEFORE)).hasValue(1.3);
    }

    @Test
    void ratioIsNotKnownWithoutBytesOrResponses() {
        assertThat(new WrittenBytes(1_000, 13, 24, 5_400).ratioSince(BEFORE)).isEmpty();
        assertThat(new WrittenBytes(1_390, 10, 24, 5_400).ratioSince(BEFORE)).isEmpty();
    }

    @Test
    void limitHoldsUpToOneAndAHalf() {
        assertThat(WrittenBytes.isWithinLimit(OptionalDouble.of(1.5))).isTrue();
        assertThat(WrittenBytes.isWithinLimit(OptionalDouble.of(1.51))).isFalse();
        assertThat(WrittenBytes.isWithinLimit(OptionalDouble.empty())).isTrue();
    }
}
