package dev.quire.bench.replay;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PolicyTest {

    @Test
    void lruDropsWhatWasRequestedLongestAgo() {
        var lru = Policy.lru(10);
        lru.request(1, 4);
        lru.request(2, 4);
        lru.request(1, 4);

        lru.request(3, 4);

        assertThat(lru.request(1, 4)).isTrue();
        assertThat(lru.request(2, 4)).isFalse();
    }

    @Test
    void fifoDropsWhatWasStoredLongestAgo() {
        var fifo = Policy.fifo(10);
        fifo.request(1, 4);
        fifo.request(2, 4);
        fifo.request(1, 4);

        fifo.request(3, 4);

        assertThat(fifo.request(2, 4)).isTrue();
        assertThat(fifo.request(1, 4)).isFalse();
    }

    @Test
    void lruKeepsNothingThatIsLargerThanAllItsMemory() {
        var lru = Policy.lru(10);

        lru.request(1, 11);

        assertThat(lru.request(1, 11)).isFalse();
        assertThat(lru.request(2, 10)).isFalse();
        assertThat(lru.request(2, 10)).isTrue();
    }

    @Test
    void tinyLfuKeepsWhatIsRequestedOftenFromOthersThatAreRequestedOnce() {
        assertThat(hitsBetweenOthers(Policy.lru(1_000))).isZero();
        // It evicts by chance now and then.
        assertThat(hitsBetweenOthers(Policy.tinyLfu(1_000))).isGreaterThan(50);
    }

    /** Requests one key a hundred times, with more others in between than are kept. */
    private static int hitsBetweenOthers(Policy policy) {
        int hits = 0;
        int other = 100;
        for (int i = 0; i < 100; i++) {
            hits += policy.request(1, 100) ? 1 : 0;
            for (int end = other + 20; other < end; other++) {
                policy.request(other, 100);
            }
        }
        return hits;
    }

    @Test
    void rateIsThatOfTheSecondHalf() {
        var rate = new HitRate(2);

        rate.count(true, 10);
        rate.count(false, 10);
        rate.count(true, 30);
        rate.count(false, 10);

        assertThat(rate.ofAll()).isEqualTo(50);
        assertThat(rate).hasToString("50.00 % of requests, 75.00 % of bytes");
    }

    @Test
    void requestsAreTheSameForTheSameArguments() {
        var site = new Site(100, 0.9, new Site.Lengths(4_096, 1, 1 << 20), 1);
        var first = new Requests(site, 0.1, 7);
        var second = new Requests(site, 0.1, 7);

        for (int i = 0; i < 30_000; i++) {
            assertThat(first.next()).isEqualTo(second.next());
        }
    }
}
