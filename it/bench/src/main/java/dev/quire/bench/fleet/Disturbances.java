package dev.quire.bench.fleet;

import dev.quire.bench.fleet.Event.Disturbance;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The times in which each node was disturbed. Questions take logarithmic time. */
final class Disturbances {
    /** By node: disjoint times, their ends by their begins. */
    private final Map<Integer, NavigableMap<Long, Long>> all;

    private final Map<Integer, NavigableMap<Long, Long>> kills;
    private final Map<Integer, NavigableMap<Long, Long>> losses;
    private final Map<Integer, NavigableMap<Long, Long>> beginnings;

    Disturbances(List<Disturbance> events) {
        all = byNode(events);
        kills = byNode(events.stream().filter(Disturbance::isKill).toList());
        losses = byNode(events.stream().filter(Disturbance::isLoss).toList());
        beginnings = byNode(events.stream().filter(Disturbance::mayLoseEntries).toList());
    }

    private static Map<Integer, NavigableMap<Long, Long>> byNode(List<Disturbance> events) {
        var sorted = new ArrayList<>(events);
        sorted.sort(Comparator.comparingLong(Disturbance::begun));
        var byNode = new HashMap<Integer, NavigableMap<Long, Long>>();
        for (var event : sorted) {
            for (int node : event.nodes()) {
                var times = byNode.computeIfAbsent(node, absent -> new TreeMap<>());
                var last = times.lastEntry();
                if (last == null || last.getValue() < event.begun()) {
                    times.put(event.begun(), event.ended());
                } else {
                    times.put(last.getKey(), Math.max(last.getValue(), event.ended()));
                }
            }
        }
        return byNode;
    }

    /** Whether {@code node} was not disturbed at any moment from {@code from} to {@code to}. */
    boolean isCalm(int node, long from, long to) {
        return isOutside(all, node, from, to);
    }

    /** Whether the process of {@code node} ran all the time from {@code from} to {@code to}. */
    boolean isRunning(int node, long from, long to) {
        return isOutside(kills, node, from, to);
    }

    private static boolean isOutside(
            Map<Integer, NavigableMap<Long, Long>> times, int node, long from, long to) {
        var present = times.get(node);
        var last = present == null ? null : present.floorEntry(to);
        return last == null || last.getValue() < from;
    }

    /**
     * Returns when {@code node} was last killed, of the kills after which it was ready again before
     * {@code before}; or {@link Timeline#NOTHING}.
     */
    long lastKill(int node, long before) {
        var last = lastKillUntil(node, before);
        return last == null ? Timeline.NOTHING : last.getKey();
    }

    private Map.@Nullable Entry<Long, Long> lastKillUntil(int node, long before) {
        var present = kills.get(node);
        if (present == null) {
            return null;
        }
        var last = present.lowerEntry(before);
        // If it is not ready again, the one before is.
        return last != null && last.getValue() >= before ? present.lowerEntry(last.getKey()) : last;
    }

    /**
     * Returns from when on {@code node} may not know purges that were invoked before its last kill;
     * or the end of all time. It was started after the log may have lost its last entries, and the
     * others have not had {@code healing} yet to find that.
     *
     * @param lag entries that are older are in the log
     */
    long unknownFrom(int node, long time, long healing, long lag) {
        var present = losses.get(node);
        var loss = present == null ? null : present.floorEntry(time);
        var kill = lastKillUntil(node, time);
        return loss != null
                        && kill != null
                        && time - loss.getValue() <= healing
                        && kill.getValue() >= loss.getKey()
                ? loss.getKey() - lag
                : Long.MAX_VALUE;
    }

    /**
     * Returns when the log last may have lost entries that {@code node} needs, or {@link
     * Timeline#NOTHING}; of disturbances that began before {@code time}.
     */
    long lastLoss(int node, long time) {
        var present = beginnings.get(node);
        var last = present == null ? null : present.lowerEntry(time);
        return last == null ? Timeline.NOTHING : last.getValue();
    }

    /** Returns when {@code node} is first killed from {@code from} on, or the end of all time. */
    long nextKill(int node, long from) {
        var present = kills.get(node);
        var next = present == null ? null : present.ceilingKey(from);
        return next == null ? Long.MAX_VALUE : next;
    }
}
