package dev.quire.bench.fleet;

import dev.quire.bench.fleet.Event.Ack;
import dev.quire.bench.fleet.Event.Purge;
import dev.quire.bench.fleet.Event.Read;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * For how long other nodes were stale after purges with {@code ack: log}, while neither they nor
 * the node that was asked were disturbed.
 */
final class Delays {
    /** A node and a purge are a pair if the node was read within this time after the answer. */
    static final Duration SOON = Duration.ofMillis(20);

    private record Place(int node, String name) {}

    private final int nodes;
    private final Function<String, List<String>> names;
    private final Versions versions;
    private final Disturbances disturbances;

    Delays(
            int nodes,
            Function<String, List<String>> names,
            Versions versions,
            Disturbances disturbances) {
        this.nodes = nodes;
        this.names = names;
        this.versions = versions;
        this.disturbances = disturbances;
    }

    /**
     * Purges by invocation, and for each the one among it and later ones that is answered first.
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Pairs(Purge[] purges, int[] first) {
        static Pairs of(List<Purge> purges) {
            var sorted = purges.toArray(Purge[]::new);
            Arrays.sort(sorted, Comparator.comparingLong(Purge::invoked));
            var first = new int[sorted.length];
            for (int i = sorted.length - 1, earliest = i; i >= 0; i--) {
                earliest = sorted[i].answered() <= sorted[earliest].answered() ? i : earliest;
                first[i] = earliest;
            }
            return new Pairs(sorted, first);
        }

        /** Returns the purge that was answered first, of those invoked from {@code time} on. */
        @Nullable Purge firstFrom(long time) {
            int low = 0;
            int high = purges.length;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (purges[middle].invoked() < time) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low == purges.length ? null : purges[first[low]];
        }
    }

    /**
     * Returns, for each purge and each other node that was read soon after its answer, the time
     * from the answer to the start of the last stale read, or 0; in nanoseconds, ascending.
     */
    long[] of(List<Purge> purges, List<Read> reads) {
        var starts = new HashMap<Place, List<Long>>();
        for (var read : reads) {
            for (var name : names.apply(read.url())) {
                starts.computeIfAbsent(new Place(read.node(), name), absent -> new ArrayList<>())
                        .add(read.started());
            }
        }
        starts.values().forEach(list -> list.sort(null));
        var byPlace = new HashMap<Place, List<Purge>>();
        var delays = new HashMap<Pair, Long>();
        for (var purge : purges) {
            for (int node = 0; node < nodes; node++) {
                if (isMeasured(purge, node, starts)) {
                    delays.put(new Pair(node, purge), 0L);
                    for (var name : purge.names()) {
                        byPlace.computeIfAbsent(new Place(node, name), absent -> new ArrayList<>())
                                .add(purge);
                    }
                }
            }
        }
        var pairs = new HashMap<Place, Pairs>();
        byPlace.forEach((place, list) -> pairs.put(place, Pairs.of(list)));
        for (var read : reads) {
            add(read, pairs, delays);
        }
        return delays.values().stream().mapToLong(Long::longValue).sorted().toArray();
    }

    private record Pair(int node, Purge purge) {}

    private boolean isMeasured(Purge purge, int node, Map<Place, List<Long>> starts) {
        long from = purge.invoked() - History.HEALING.toNanos();
        long to = purge.answered() + History.HEALING.toNanos();
        return purge.ack() == Ack.LOG
                && purge.node() != node
                && !purge.missing().contains(node)
                && disturbances.isCalm(node, from, to)
                && disturbances.isCalm(purge.node(), from, to)
                && purge.names().stream()
                        .anyMatch(name -> isReadSoon(purge, starts.get(new Place(node, name))));
    }

    private static boolean isReadSoon(Purge purge, @Nullable List<Long> starts) {
        if (starts == null) {
            return false;
        }
        int at = Collections.binarySearch(starts, purge.answered());
        int next = at < 0 ? -at - 1 : at;
        return next < starts.size() && starts.get(next) - purge.answered() <= SOON.toNanos();
    }

    private void add(Read read, Map<Place, Pairs> pairs, Map<Pair, Long> delays) {
        if (read.isWrong()) {
            return;
        }
        long replaced = versions.replaced(read.url(), read.version());
        for (var name : names.apply(read.url())) {
            var present = pairs.get(new Place(read.node(), name));
            var purge = present == null ? null : present.firstFrom(replaced);
            if (purge != null && purge.answered() < read.started()) {
                delays.merge(
                        new Pair(read.node(), purge), read.started() - purge.answered(), Math::max);
            }
        }
    }
}
