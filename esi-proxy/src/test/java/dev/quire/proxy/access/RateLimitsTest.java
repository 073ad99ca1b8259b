package dev.quire.proxy.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.rule.Ending;
import dev.quire.core.rule.RateLimit;
import dev.quire.core.rule.TextTemplate;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RateLimitsTest {
    private final RateLimits limits = new RateLimits();

    @Test
    void eachTextHasItsOwnBucket() {
        assertThat(limits.take(check("a"), 0)).isZero();
        assertThat(limits.take(check("a"), 0)).isPositive();
        assertThat(limits.take(check("b"), 0)).isZero();
        assertThat(limits.size()).isEqualTo(2);
    }

    @Test
    void bucketsBelongToTheNameAndTheRateOfALimit() {
        limits.take(check("name", 1, 1), 0);

        assertThat(limits.take(check("name", 1, 1), 0)).isPositive();
        assertThat(limits.take(check("name", 1, 2), 0)).as("another burst").isZero();
        assertThat(limits.take(check("name", 1, 2), 0)).isPositive();
        assertThat(limits.take(check("name", 2, 1), 0)).as("another rate").isZero();
        assertThat(limits.take(check("other", 1, 1), 0)).as("another name").isZero();
    }

    @Test
    void ofOneTooManyTheOldestIsDropped() {
        for (int i = 0; i <= RateLimits.MAX_BUCKETS; i++) {
            assertThat(limits.take(check("client " + i), 0)).isZero();
        }

        assertThat(limits.size()).isEqualTo(RateLimits.MAX_BUCKETS);
        assertThat(limits.dropped()).isEqualTo(1);
        assertThat(limits.take(check("client 1"), 0)).as("the second").isPositive();
        assertThat(limits.take(check("client 0"), 0)).as("the first, anew").isZero();
    }

    @Test
    void floodOfOthersDoesNotResetAClientInUse() {
        limits.take(check("busy"), 0);
        for (int i = 0; i < 3 * RateLimits.MAX_BUCKETS; i++) {
            limits.take(check("client " + i), 0);
            if (i % 1_000 == 0) {
                assertThat(limits.take(check("busy"), 0)).isPositive();
            }
        }

        assertThat(limits.size()).isEqualTo(RateLimits.MAX_BUCKETS);
    }

    @Test
    void longTextsAreNotKept() {
        var long1 = "x".repeat(60_000) + "1";
        var long2 = "x".repeat(60_000) + "2";
        long before = used();

        limits.take(check(long1), 0);
        for (int i = 0; i < 5_000; i++) {
            limits.take(check(long1 + i), 0);
        }

        assertThat(limits.take(check(long1), 0)).isPositive();
        assertThat(limits.take(check(long2), 0)).isZero();
        assertThat(used() - before).as("of 300 MB of texts").isLessThan(50_000_000);
    }

    @Test
    void numberIsBoundedWhileThreadsAddToIt() throws Exception {
        var threads =
                IntStream.range(0, 4)
                        .mapToObj(thread ->
                                Thread.ofPlatform()
                                        .start(() -> {
                                            for (int i = 0; i < 50_000; i++) {
                                                limits.take(check(thread + " " + i), 0);
                                            }
                                        }))
                        .toList();
        for (var thread : threads) {
            thread.join(Duration.ofSeconds(60));
        }

        assertThat(limits.size()).isEqualTo(RateLimits.MAX_BUCKETS);
        assertThat(limits.dropped()).isEqualTo(200_000 - RateLimits.MAX_BUCKETS);
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static Ending.Check check(String by) {
        return new Ending.Check("rule", limit("limit", 1.0 / 3_600, 1), by);
    }

    private static Ending.Check check(String name, double perSecond, int burst) {
        return new Ending.Check("rule", limit(name, perSecond, burst), "client");
    }

    private static RateLimit limit(String name, double perSecond, int burst) {
        return new RateLimit(name, new TextTemplate("", List.of()), perSecond, burst, false);
    }
}
