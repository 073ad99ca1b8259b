package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.quire.core.policy.CacheKey;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The keys of one URL, to which clients can add. */
class ManyKeysOfOneUrlTest {
    private static final int KEYS = 100_000;

    /** Room for tables that grow; a copy of all keys for each would be a thousand times this. */
    private static final long MOST_BYTES_PER_KEY = 1_000;

    private final KeysOfUrls keys = new KeysOfUrls();

    @Test
    void workForAKeyDoesNotDependOnTheNumberOfKeys() {
        var all = IntStream.range(0, KEYS).mapToObj(ManyKeysOfOneUrlTest::key).toList();

        long before = allocatedBytes();
        all.forEach(keys::add);
        all.forEach(keys::add);
        long added = allocatedBytes() - before;

        assertThat(added).isLessThan(KEYS * MOST_BYTES_PER_KEY);
        assertThat(keys.of(PAGE)).hasSize(KEYS + 1).containsAll(all.subList(0, 100));

        before = allocatedBytes();
        all.forEach(key -> keys.forget(key, stored -> false));
        long removed = allocatedBytes() - before;

        assertThat(removed).isLessThan(KEYS * MOST_BYTES_PER_KEY);
        assertThat(keys.of(PAGE)).containsExactly(PAGE);
        assertThat(keys.size()).isZero();
    }

    @Test
    void keyIsNotedOnceAndForgottenUnlessItIsStored() {
        keys.add(PAGE);
        keys.add(key(1));
        keys.add(key(1));
        assertThat(keys.of(key(2))).containsExactly(PAGE, key(1));

        keys.forget(key(1), stored -> true);
        keys.forget(key(2), stored -> false);
        assertThat(keys.of(PAGE)).containsExactly(PAGE, key(1));

        keys.add(key(2));
        keys.forget(key(1), stored -> false);
        assertThat(keys.of(PAGE)).containsExactly(PAGE, key(2));
        keys.forget(key(2), stored -> false);
        assertThat(keys.size()).isZero();
    }

    private static CacheKey key(int number) {
        return PAGE.with(List.of(new CacheKey.Part("group", Integer.toString(number))));
    }

    private static long allocatedBytes() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean())
                .getCurrentThreadAllocatedBytes();
    }
}
