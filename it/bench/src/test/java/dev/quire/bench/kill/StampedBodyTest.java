package dev.quire.bench.kill;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StampedBodyTest {
    private static final String URL = "news.example/front";

    @ParameterizedTest
    @ValueSource(ints = {0, 30, 39, 40, 41, 42, 43, 99, 100, 101, 1000, 100_000})
    void bodyNamesItsVersion(int bytes) {
        var body = StampedBody.of(URL, 12, bytes);

        assertThat(StampedBody.version(URL, body)).hasValue(12);
        assertThat(body.length).isGreaterThanOrEqualTo(bytes).isLessThan(Math.max(bytes, 41) + 1);
    }

    @Test
    void bodyOfAnotherUrlIsWrong() {
        assertThat(StampedBody.version("news.example/other", StampedBody.of(URL, 1, 100)))
                .isEmpty();
    }

    @Test
    void bodyWithAnyFlippedBitOrCutIsWrong() {
        var body = StampedBody.of(URL, 1, 100);

        for (int bit = 0; bit < 8 * body.length; bit++) {
            var flipped = body.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(StampedBody.version(URL, flipped)).as("bit %d", bit).isEmpty();
        }
        for (int length = 0; length < body.length; length++) {
            assertThat(StampedBody.version(URL, Arrays.copyOf(body, length))).isEmpty();
        }
    }

    @Test
    void bodiesOfTwoVersionsDiffer() {
        assertThat(StampedBody.of(URL, 1, 100)).isNotEqualTo(StampedBody.of(URL, 2, 100));
    }
}
