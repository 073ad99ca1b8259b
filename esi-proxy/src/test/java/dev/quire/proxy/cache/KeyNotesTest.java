package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.StorageRefusal;
import java.time.Duration;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeyNotesTest {
    private static final int LENGTH = 8_000;
    private static final int LONG_KEYS = 10_000;
    private static final int SHORT_KEYS = 100_000;
    private static final String LONG = "x".repeat(LENGTH);

    private final HandSetTime time = new HandSetTime();
    private final HitForMiss hitForMiss = new HitForMiss(Duration.ofMinutes(2), time::now);
    private final RefreshPauses pauses = new RefreshPauses(time::now);

    @Test
    void longUrlsThatAreNotCacheableTakeLittleMemory() {
        for (int i = 0; i < LONG_KEYS; i++) {
            hitForMiss.note(longUrl(i), StorageRefusal.NO_STORE);
        }

        assertIsLittle(noted(LONG_KEYS, i -> hitForMiss.isNoted(longUrl(i), Fields.EMPTY, false)));
    }

    @Test
    void longValuesOfRulesThatAreNotCacheableTakeLittleMemory() {
        for (int i = 0; i < LONG_KEYS; i++) {
            hitForMiss.note(longValue(i), StorageRefusal.UNKNOWN_LENGTH);
        }

        assertIsLittle(noted(LONG_KEYS, i -> hitForMiss.isNoted(longValue(i), Fields.EMPTY, true)));
    }

    @Test
    void pausesOfLongUrlsTakeLittleMemory() {
        for (int i = 0; i < LONG_KEYS; i++) {
            pauses.begin(longUrl(i));
        }

        assertIsLittle(noted(LONG_KEYS, i -> pauses.isOn(longUrl(i))));
    }

    @Test
    void manyShortUrlsAreNoted() {
        for (int i = 0; i < SHORT_KEYS; i++) {
            hitForMiss.note(shortUrl(i), StorageRefusal.NO_STORE);
        }

        assertThat(noted(SHORT_KEYS, i -> hitForMiss.isNoted(shortUrl(i), Fields.EMPTY, false)))
                .isBetween(20_000L, 60_000L);
    }

    @Test
    void tooLongAKeyDisplacesNoOther() {
        hitForMiss.note(shortUrl(1), StorageRefusal.NO_STORE);
        hitForMiss.note(key("/" + "x".repeat(9 << 20)), StorageRefusal.NO_STORE);

        assertThat(hitForMiss.isNoted(shortUrl(1), Fields.EMPTY, false)).isTrue();
    }

    private static void assertIsLittle(long notes) {
        assertThat(notes * LENGTH).isBetween(7L << 20, 8L << 20);
    }

    private static long noted(int keys, IntPredicate isNoted) {
        return IntStream.range(0, keys).filter(isNoted).count();
    }

    private static CacheKey longUrl(int i) {
        return key("/" + i + LONG);
    }

    private static CacheKey longValue(int i) {
        return shortUrl(0).with(List.of(new CacheKey.Part("key", i + LONG)));
    }

    private static CacheKey shortUrl(int i) {
        return key("/" + i);
    }

    private static CacheKey key(String target) {
        return new CacheKey(Scheme.HTTP, "news.example", target);
    }
}
