package dev.quire.proxy.cache;

import dev.quire.core.http.Scheme;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
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
        this(count, random.nextLong(), random.nextLong() | 1);
    }

    private HashedPositions(int count, long seed, long factor) {
        this.count = count;
        this.seed = seed;
        this.factor = factor;
    }

    static HashedPositions ofDefaultCount() {
        return new HashedPositions(DEFAULT_COUNT, new SecureRandom());
    }

    /** Creates those of {@code state}, which were made with the default count. */
    static HashedPositions of(InvalidationState state) {
        var positions = new HashedPositions(DEFAULT_COUNT, state.seed(), state.factor());
        for (var position : state.positions()) {
            positions.put(position.hash() & DEFAULT_COUNT - 1, position.number());
        }
        return positions;
    }

    long seed() {
        return seed;
    }

    long factor() {
        return factor;
    }

    /** Returns those with entries newer than {@code oldest}. */
    List<InvalidationState.Position> after(long oldest) {
        var all = numbers;
        var after = new ArrayList<InvalidationState.Position>();
        for (int i = 0; all != null && i < count; i++) {
            long number = all.get(i);
            if (number > oldest) {
                after.add(new InvalidationState.Position(i, number));
            }
        }
        return after;
    }

    /** Returns the number of the newest entry of {@code name}; 0 before the first. */
    long of(Scheme scheme, String authority, String name) {
        var all = numbers;
        return all == null ? 0 : all.get(position(scheme, authority, name));
    }

    /** Never replaces a newer entry. */
    void put(Scheme scheme, String authority, String name, long number) {
        put(position(scheme, authority, name), number);
    }

    private void put(int position, long number) {
        var all = numbers;
        if (all == null) {
            all = new AtomicLongArray(count);
            numbers = all;
        }
        all.set(position, Math.max(number, all.get(position)));
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
