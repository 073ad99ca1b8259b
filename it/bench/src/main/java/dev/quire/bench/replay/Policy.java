package dev.quire.bench.replay;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.LinkedHashMap;

/** The keys that a cache of limited weight keeps, for comparison with the store. */
public interface Policy {

    /** Returns whether {@code url} was kept, and tells the policy of this request. */
    boolean request(int url, int weight);

    /** Keeps what was requested last. */
    static Policy lru(long maxWeight) {
        return linked(maxWeight, true);
    }

    /** Keeps what was stored last. */
    static Policy fifo(long maxWeight) {
        return linked(maxWeight, false);
    }

    private static Policy linked(long maxWeight, boolean byRequest) {
        var kept = new LinkedHashMap<Integer, Integer>(16, 0.75f, byRequest);
        var free = new long[] {maxWeight};
        return (url, weight) -> {
            if (kept.get(url) != null) {
                return true;
            }
            kept.put(url, weight);
            free[0] -= weight;
            while (free[0] < 0) {
                free[0] += kept.pollFirstEntry().getValue();
            }
            return false;
        };
    }

    /** W-TinyLFU, as Caffeine implements it for entries of different weights. */
    static Policy tinyLfu(long maxWeight) {
        Cache<Integer, Integer> kept =
                Caffeine.newBuilder()
                        .maximumWeight(maxWeight)
                        .<Integer, Integer>weigher((url, weight) -> weight)
                        .executor(Runnable::run)
                        .build();
        return (url, weight) -> {
            if (kept.getIfPresent(url) != null) {
                return true;
            }
            kept.put(url, weight);
            return false;
        };
    }

    /** Keeps {@code chosen}, always. */
    static Policy fixed(boolean[] chosen) {
        return (url, weight) -> chosen[url];
    }
}
