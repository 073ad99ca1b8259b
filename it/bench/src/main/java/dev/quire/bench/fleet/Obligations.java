package dev.quire.bench.fleet;

import dev.quire.bench.fleet.Event.Ack;
import dev.quire.bench.fleet.Event.Purge;
import dev.quire.bench.fleet.Event.Read;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The purges that each node must obey. */
final class Obligations {
    /*
     * A purge requires, of each URL that it covers, the newest version that the origin had when the
     * purge was invoked. A read is stale for a purge if it began after the purge was answered and has an
     * older version. Versions only grow, so of many purges the one that was invoked last requires most:
     * a Timeline from answers to invocations says at once what a read must have.
     */

    /** A node that must obey the purges of a name, or was asked for them. */
    private record Obliged(int node, String name) {}

    private final int nodes;
    private final Function<String, List<String>> names;
    private final Versions versions;
    private final Disturbances disturbances;
    private final Map<Obliged, Timeline> own = new HashMap<>();
    private final Map<Obliged, Timeline> acknowledged = new HashMap<>();

    /** By the node that was asked; all nodes must obey. */
    private final Map<Obliged, Timeline> healed = new HashMap<>();

    /** Those in the log, by name. */
    private final Map<String, Timeline> logged = new HashMap<>();

    /**
     * @param names returns the names under which a URL is purged
     */
    Obligations(
            int nodes,
            Function<String, List<String>> names,
            Versions versions,
            Disturbances disturbances) {
        this.nodes = nodes;
        this.names = names;
        this.versions = versions;
        this.disturbances = disturbances;
    }

    void enter(Purge purge) {
        if (History.mayBeLost(purge, disturbances)) {
            return;
        }
        for (var name : purge.names()) {
            add(own, new Obliged(purge.node(), name), purge);
            add(healed, new Obliged(purge.node(), name), purge);
            if (purge.ack() != Ack.LOCAL) {
                add(logged, name, purge);
            }
            for (int node = 0; node < nodes; node++) {
                if (History.mustObey(purge, node, disturbances)) {
                    add(acknowledged, new Obliged(node, name), purge);
                }
            }
        }
    }

    private static <K> void add(Map<K, Timeline> timelines, K key, Purge purge) {
        timelines
                .computeIfAbsent(key, absent -> new Timeline())
                .add(purge.answered(), purge.invoked());
    }

    /**
     * Returns the promises that a read breaks whose version is older than its node must have known
     * since {@code since}.
     */
    Set<Promise> broken(Read read, long since) {
        int node = read.node();
        long healing = History.HEALING.toNanos();
        long kill = disturbances.lastKill(node, since);
        long unknownFrom =
                disturbances.unknownFrom(node, since, healing, History.REPLICATION.toNanos());
        boolean isHealed = disturbances.isCalm(node, since - healing, since);
        var broken = EnumSet.noneOf(Promise.class);
        for (var name : names.apply(read.url())) {
            var who = new Obliged(node, name);
            var must = acknowledged.get(who);
            var made = own.get(who);
            if (isStale(read, must, since, kill, unknownFrom)) {
                broken.add(Promise.FLEET);
            }
            if (isStale(read, made, since, kill, unknownFrom)) {
                broken.add(Promise.OWN);
            }
            if (isStale(read, must, kill, kill, unknownFrom)
                    || isStale(read, made, kill, kill, unknownFrom)) {
                broken.add(Promise.RESTARTED);
            }
            for (int asked = 0; isHealed && asked < nodes; asked++) {
                if (disturbances.isCalm(asked, since - healing, since)
                        && isStale(read, healed.get(new Obliged(asked, name)), since - healing)) {
                    broken.add(Promise.HEALED);
                }
            }
        }
        return broken;
    }

    /** Whether a read breaks {@link Promise#LEASE}. */
    boolean isPastLease(Read read) {
        long before = read.started() - History.LEASE.toNanos();
        long loss = disturbances.lastLoss(read.node(), read.ended());
        for (var name : names.apply(read.url())) {
            var timeline = logged.get(name);
            if (timeline != null
                    && timeline.greatestBefore(before) > loss
                    && isStale(read, timeline, before)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the version is older than purges require that were answered before a time. */
    private boolean isStale(Read read, @Nullable Timeline timeline, long before) {
        return timeline != null
                && read.version() < versions.newest(read.url(), timeline.greatestBefore(before));
    }

    /**
     * The same, except for purges that were invoked until {@code kill} and answered from {@code
     * unknownFrom} on.
     */
    private boolean isStale(
            Read read, @Nullable Timeline timeline, long before, long kill, long unknownFrom) {
        boolean isKnown = timeline != null && timeline.greatestBefore(before) > kill;
        return isStale(read, timeline, isKnown ? before : Math.min(before, unknownFrom));
    }
}
