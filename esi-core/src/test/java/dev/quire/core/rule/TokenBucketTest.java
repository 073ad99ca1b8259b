package dev.quire.core.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TokenBucketTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final TextTemplate ALL = new TextTemplate("", List.of());

    /** Some clocks begin anywhere. */
    private static final long START = Long.MAX_VALUE - SECOND;

    @Test
    void burstIsAdmittedAndThenTheRate() {
        var bucket = new TokenBucket(START);
        var limit = limit(2, 5);

        assertThat(IntStream.range(0, 5).mapToLong(each -> bucket.take(limit, START)))
                .containsOnly(0L);
        assertThat(bucket.take(limit, START)).isEqualTo(SECOND / 2);
        assertThat(bucket.take(limit, START + SECOND / 4)).isEqualTo(SECOND / 4);
        assertThat(bucket.take(limit, START + SECOND / 2)).isZero();
        assertThat(bucket.take(limit, START + SECOND / 2)).isEqualTo(SECOND / 2);
    }

    @Test
    void refusedRequestsTakeNothing() {
        var bucket = new TokenBucket(START);
        var limit = limit(1, 1);
        bucket.take(limit, START);

        for (int i = 0; i < 100; i++) {
            assertThat(bucket.take(limit, START + 1)).isPositive();
        }

        assertThat(bucket.take(limit, START + SECOND)).isZero();
    }

    @Test
    void noMoreThanTheBurstIsSavedUp() {
        var bucket = new TokenBucket(START);
        var limit = limit(1, 3);

        long later = START + 1_000 * SECOND;

        assertThat(IntStream.range(0, 5).mapToLong(each -> bucket.take(limit, later)))
                .containsExactly(0L, 0L, 0L, SECOND, SECOND);
    }

    @Test
    void slowestRateWithTheLargestBurstDoesNotOverflow() {
        var bucket = new TokenBucket(START);
        var limit = limit(1.0 / 3_600, RateLimit.MOST);

        for (int i = 0; i < RateLimit.MOST; i++) {
            assertThat(bucket.take(limit, START)).isZero();
        }

        assertThat(bucket.take(limit, START)).isEqualTo(3_600 * SECOND);
    }

    @Test
    void threadsTakeEachTokenOnce() throws Exception {
        var bucket = new TokenBucket(START);
        var limit = limit(1, 10_000);
        var admitted = new AtomicInteger();
        var threads =
                IntStream.range(0, 4)
                        .mapToObj(each ->
                                Thread.ofPlatform()
                                        .start(() -> {
                                            for (int i = 0; i < 5_000; i++) {
                                                if (bucket.take(limit, START) == 0) {
                                                    admitted.incrementAndGet();
                                                }
                                            }
                                        }))
                        .toList();
        for (var thread : threads) {
            thread.join();
        }

        assertThat(admitted).hasValue(10_000);
    }

    @Test
    void rateAndBurstHaveBounds() {
        assertThatThrownBy(() -> limit(0, 1)).hasMessageContaining("1 an hour");
        assertThatThrownBy(() -> limit(Double.NaN, 1)).hasMessageContaining("NaN");
        assertThatThrownBy(() -> limit(1, 0)).hasMessageContaining("burst of 0");
    }

    private static RateLimit limit(double perSecond, int burst) {
        return new RateLimit("limit", ALL, perSecond, burst, false);
    }
}
