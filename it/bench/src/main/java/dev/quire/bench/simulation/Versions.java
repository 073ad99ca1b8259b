package dev.quire.bench.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The versions of objects at the origin, and when the purge of each was acknowledged. */
final class Versions {
    private static final long NEVER = Long.MAX_VALUE;

    /** For each version after the first one, the time of the answer to its purge. */
    private final Map<Integer, List<Long>> acknowledged = new HashMap<>();

    private List<Long> of(int object) {
        return acknowledged.computeIfAbsent(object, absent -> new ArrayList<>());
    }

    int atOrigin(int object) {
        var known = acknowledged.get(object);
        return known == null ? 0 : known.size();
    }

    /** Makes a new version and returns it. */
    int change(int object) {
        of(object).add(NEVER);
        return of(object).size();
    }

    /** The purge of {@code version} was answered. */
    void acknowledge(int object, int version, long time) {
        of(object).set(version - 1, time);
    }

    /**
     * For how long {@code version} was outdated at {@code now}, for a request that began at {@code
     * begun}; negative if it was not when that began.
     */
    long outdatedFor(int object, int version, long begun, long now) {
        var known = acknowledged.get(object);
        if (known == null || version >= known.size()) {
            return -1;
        }
        long first = NEVER;
        for (int later = version; later < known.size(); later++) {
            first = Math.min(first, known.get(later));
        }
        return first <= begun ? now - first : -1;
    }
}
