package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrequencySketchTest {
    private static final long KIB = 1 << 10;
    private static final int KEY = 4_711;

    @Test
    void keyThatWasNeverRequestedCountsZero() {
        var sketch = new FrequencySketch(64 * KIB);

        assertThat(sketch.count(KEY)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 15})
    void eachRequestIsCounted(int times) {
        var sketch = new FrequencySketch(64 * KIB);

        request(sketch, KEY, times);

        assertThat(sketch.count(KEY)).isEqualTo(times);
    }

    @Test
    void countEndsAtItsMaximum() {
        var sketch = new FrequencySketch(64 * KIB);

        request(sketch, KEY, 1_000);

        assertThat(sketch.count(KEY)).isEqualTo(FrequencySketch.MAX_COUNT);
    }

    @Test
    void estimateIsNeverTooLowAndSeldomTooHigh() {
        // 6,000 keys with 15 requests for each of 1,000 and one for each other: fewer changes than
        // age a block.
        int keys = 6_000;
        var sketch = new FrequencySketch(KIB * KIB);
        for (int key = 0; key < keys; key++) {
            request(sketch, key, requestsOf(key));
        }

        var errors =
                IntStream.range(0, keys).map(key -> sketch.count(key) - requestsOf(key)).toArray();

        assertThat(IntStream.of(errors).min()).hasValue(0);
        assertThat(IntStream.of(errors).filter(error -> error > 0).count()).isLessThan(keys / 100);
    }

    private static int requestsOf(int key) {
        return key % 6 == 0 ? 15 : 1;
    }

    @Test
    void keysOfEqualHashesInTheLowBitsAreToldApart() {
        var sketch = new FrequencySketch(64 * KIB);

        request(sketch, KEY, 10);

        assertThat(IntStream.rangeClosed(1, 100).map(i -> sketch.count(KEY + (i << 16))))
                .allMatch(count -> count == 0);
    }

    @Test
    void countsAreHalvedAfterAsManyChanges() {
        // A single block, so that all keys age it.
        var sketch = new FrequencySketch(1);
        request(sketch, KEY, 12);

        for (int other = 0; other < 68; other++) {
            sketch.add(other);
        }

        assertThat(sketch.count(KEY)).isBetween(6, 8);
    }

    @Test
    void keyThatIsNoLongerRequestedIsForgotten() {
        var sketch = new FrequencySketch(64 * KIB);
        request(sketch, KEY, 15);

        for (int other = 0; other < 1_000_000; other++) {
            sketch.add(1_000_000 + other);
        }

        // The rest is the noise of the others: some six changes for each counter.
        assertThat(sketch.count(KEY)).isLessThan(8);
    }

    @Test
    void popularKeyDoesNotAgeOthers() {
        var sketch = new FrequencySketch(1);
        request(sketch, KEY, 10);

        request(sketch, KEY + 1, 100_000);

        assertThat(sketch.count(KEY)).isGreaterThanOrEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 1 << 10, 1_000_000, 8 << 20})
    void memoryIsWithinTheLimitButForASingleBlock(long maxBytes) {
        var sketch = new FrequencySketch(maxBytes);

        assertThat(sketch.bytes()).isBetween(maxBytes / 2, Math.max(64, maxBytes) * 65 / 64);
    }

    private static void request(FrequencySketch sketch, int key, int times) {
        for (int i = 0; i < times; i++) {
            sketch.add(key);
        }
    }

    /** A store may be larger than the heap. */
    @Test
    void memoryIsLimited() {
        var sketch = new FrequencySketch(1L << 40);

        assertThat(sketch.bytes()).isBetween(16L << 20, 17L << 20);
    }
}
