package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SizeGateTest {
    private static final CacheKey KEY = new CacheKey(Scheme.HTTP, "www.news.example", "/photo.jpg");
    private static final long ENTRIES = 1_000;

    private SizeGate gate = new SizeGate(1 << 20);

    @BeforeEach
    void open() {
        gate = new SizeGate(1 << 20);
    }

    @ParameterizedTest(name = "weight {0} % of the mean needs {1} requests")
    @CsvSource({"1, 1", "50, 1", "51, 2", "100, 2", "150, 3", "400, 8", "600, 12", "100000, 12"})
    void fullStoreAdmitsWhatIsRequestedOftenEnoughForItsWeight(int percent, int required) {
        long full = gate.maxBytes();
        long weight = Math.ceilDiv(full * percent, ENTRIES * 100);

        request(required - 1);
        boolean isEarly = required > 1 && gate.admits(KEY, weight - 1, full, ENTRIES);
        request(1);

        assertThat(isEarly).isFalse();
        assertThat(gate.admits(KEY, weight - 1, full, ENTRIES)).isTrue();
    }

    @Test
    void storeIsFullFromNinetyFivePercentOn() {
        long large = gate.maxBytes() / 10;
        long full = Math.ceilDiv(gate.maxBytes() * 95, 100);

        request(1);

        assertThat(gate.admits(KEY, large, full, ENTRIES)).isFalse();
        assertThat(gate.admits(KEY, large, full - 1, ENTRIES)).isTrue();
        assertThat(gate.admits(KEY, large, 0, 0)).isTrue();
    }

    @Test
    void requestsForOtherKeysDoNotCount() {
        var other = new CacheKey(Scheme.HTTP, "www.news.example", "/other.jpg");
        for (int i = 0; i < 15; i++) {
            gate.requested(other);
        }
        request(1);

        assertThat(gate.admits(KEY, 10_000, gate.maxBytes(), ENTRIES)).isFalse();
        assertThat(gate.admits(other, 10_000, gate.maxBytes(), ENTRIES)).isTrue();
    }

    @Test
    void countsTakeASmallPartOfTheMemory() {
        assertThat(gate.maxBytes()).isBetween((1 << 20) * 98L / 100, (1L << 20) - 1);
    }

    private void request(int times) {
        for (int i = 0; i < times; i++) {
            gate.requested(KEY);
        }
    }
}
