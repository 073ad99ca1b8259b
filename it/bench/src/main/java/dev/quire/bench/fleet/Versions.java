package dev.quire.bench.fleet;

import dev.quire.bench.fleet.Event.Change;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** When the origin had which version. Questions take logarithmic time. */
final class Versions {
    private static final long FIRST = 1;

    private final Map<String, List<Change>> changes = new HashMap<>();
    private final long begun;

    /**
     * @param all their versions follow one another from 2 on
     * @param begun when all URLs had version 1
     */
    Versions(List<Change> all, long begun) {
        this.begun = begun;
        for (var change : all) {
            changes.computeIfAbsent(change.url(), absent -> new ArrayList<>()).add(change);
        }
        changes.forEach((url, list) -> {
            list.sort(Comparator.comparingLong(Change::version));
            long expected = FIRST;
            for (var change : list) {
                expected++;
                if (change.version() != expected) {
                    throw new IllegalArgumentException(
                            "expected version %d of %s, found %d"
                                    .formatted(expected, url, change.version()));
                }
            }
        });
    }

    private List<Change> of(String url) {
        return changes.getOrDefault(url, List.of());
    }

    /** Returns the newest version at {@code time}; 1 before the first change. */
    long newest(String url, long time) {
        var list = of(url);
        int low = 0;
        int high = list.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (list.get(middle).ended() <= time) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return FIRST + low;
    }

    /** Whether the origin may have had {@code version} before {@code time}. */
    boolean exists(String url, long version, long time) {
        return version == FIRST
                || (version > FIRST
                        && version - FIRST <= of(url).size()
                        && change(url, version).begun() < time);
    }

    private Change change(String url, long version) {
        return of(url).get((int) (version - FIRST - 1));
    }

    /** Returns the time since a version that exists was no longer the newest, or 0. */
    long leastAge(String url, long version, long time) {
        return isNewest(url, version) ? 0 : Math.max(0, time - change(url, version + 1).ended());
    }

    /** Returns the time since a version may have been the newest; 0 if it does not exist. */
    long mostAge(String url, long version, long time) {
        if (version == FIRST) {
            return time - begun;
        }
        return version - FIRST > of(url).size() ? 0 : time - change(url, version).begun();
    }

    private boolean isNewest(String url, long version) {
        return version - FIRST >= of(url).size();
    }

    /** Returns when the version after {@code version} was complete, or the end of all time. */
    long replaced(String url, long version) {
        return isNewest(url, version) ? Long.MAX_VALUE : change(url, version + 1).ended();
    }
}
