package dev.quire.proxy.cache;

import dev.quire.core.http.Scheme;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The number of the newest entry of each name of an origin, in a fixed number of positions. Names
 * with the same hash share a position, which hides too much, never too little. So clients can
 * neither exhaust memory nor make other entries be forgotten. Thread-safe; writers hold the lock of
 * the {@link Invalidations}.
 */
final class HashedPositions {
    static final int DEFAULT_COUNT = 1 << 20;

    private final int count;

    // Secret, so that clients cannot choose names that share a position with another.
    private final long seed;
    private final long factor;

    /** 8 MiB, which sites without unsafe requests do not need. */
    private volatile @Nullable AtomicLongArray numbers;

    /**
     * @param count a power of two
     */
    HashedPositions(int count, RandomGenerator random) {
        this.count = count;
        this.seed = random.nextLong();
        this.factor = random.nextLong() | 1;
    }

    /** Returns the number of the newest entry of {@code name}; 0 before the first. */
    long of(Scheme scheme, String authority, String name) {
        var all = numbers;
        return all == null ? 0 : all.get(position(scheme, authority, name));
    }

    void put(Scheme scheme, String authority, String name, long number) {
        var all = numbers;
        if (all == null) {
            all = new AtomicLongArray(count);
            numbers = all;
        }
        all.set(position(scheme, authority, name), number);
    }

    private int position(Scheme scheme, String authority, String name) {
        long hash = mixed(mixed(mixed(seed, scheme.text()), authority), name);
        return (int) (hash >>> 32) & count - 1;
    }

    private long mixed(long hash, String text) {
        long mixed = (hash ^ text.length()) * factor;
        for (int i = 0; i < text.length(); i++) {
            mixed = ((mixed ^ mixed >>> 32) ^ text.charAt(i)) * factor;
        }
        return mixed;
    }
}
