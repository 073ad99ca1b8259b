package dev.quire.bench.fleet;

import dev.quire.bench.fleet.Event.Ack;
import dev.quire.bench.fleet.Event.Change;
import dev.quire.bench.fleet.Event.Disturbance;
import dev.quire.bench.fleet.Event.Purge;
import dev.quire.bench.fleet.Event.Read;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Checks what a fleet has served against what it promises. Takes O(n log n) time for n events.
 * Thread-safe.
 */
final class History {
    /*
     * A purge requires, of each URL that it covers, the newest version that the origin had when the
     * purge was invoked. A read is stale for a purge if it began after the purge was answered and has an
     * older version. Versions only grow, so of many purges the one that was invoked last requires most:
     * a Timeline from answers to invocations says at once what a read must have.
     */

    /** After so long without a disturbance all nodes obey. */
    static final Duration HEALING = Duration.ofSeconds(5);

    /** Tolerance of the age: it is in whole seconds, and answers take time. */
    static final Duration AGE_SLACK = Duration.ofSeconds(2);

    private static final long HEALING_NANOS = HEALING.toNanos();

    /** A replica has the entries that are older than this. */
    static final Duration REPLICATION = Duration.ofSeconds(1);

    /** Disturbances that ended earlier do not explain a violation. */
    private static final long RECENT_NANOS = Duration.ofSeconds(60).toNanos();

    /** Other reads so long before and after a violation explain it. */
    private static final Duration CONTEXT = Duration.ofSeconds(5);

    private final int nodes;
    private final Function<String, List<String>> names;
    private final long begun;
    private final List<Event> events = new ArrayList<>();

    /**
     * @param names returns the names under which a URL is purged: its own and its tags
     * @param begun when the origin had all its first versions
     */
    History(int nodes, Function<String, List<String>> names, long begun) {
        this.nodes = nodes;
        this.names = names;
        this.begun = begun;
    }

    synchronized void add(Event event) {
        events.add(event);
    }

    /** Returns what was seen so far. Nothing may be invoked that is not answered yet. */
    Verdict verdict() {
        List<Event> copy;
        synchronized (this) {
            copy = List.copyOf(events);
        }
        return new Checking(copy).verdict();
    }

    /** All events of a kind. */
    static <T extends Event> List<T> of(Class<T> kind, List<Event> events) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** A node that must obey the purges of a name, or was asked for them. */
    private record Obliged(int node, String name) {}

    private final class Checking {
        private final List<Read> reads;
        private final List<Purge> purges;
        private final Versions versions;
        private final List<Disturbance> disturbed;
        private final Disturbances disturbances;
        private final Map<Obliged, Timeline> own = new HashMap<>();
        private final Map<Obliged, Timeline> acknowledged = new HashMap<>();

        /** By the node that was asked; all nodes must obey. */
        private final Map<Obliged, Timeline> healed = new HashMap<>();

        private final Verdict.Builder found = new Verdict.Builder();

        Checking(List<Event> events) {
            reads = of(Read.class, events);
            purges = of(Purge.class, events);
            versions = new Versions(of(Change.class, events), begun);
            disturbed = of(Disturbance.class, events);
            disturbances = new Disturbances(disturbed);
        }

        Verdict verdict() {
            purges.forEach(this::enter);
            reads.forEach(this::check);
            var delays = new Delays(nodes, names, versions, disturbances);
            return found.verdict(reads.size(), purges.size(), delays.of(purges, reads));
        }

        private void enter(Purge purge) {
            if (mayBeLost(purge, disturbances)) {
                return;
            }
            for (var name : purge.names()) {
                add(own, new Obliged(purge.node(), name), purge);
                add(healed, new Obliged(purge.node(), name), purge);
                for (int node = 0; node < nodes; node++) {
                    if (mustObey(purge, node, disturbances)) {
                        add(acknowledged, new Obliged(node, name), purge);
                    }
                }
            }
        }

        private static void add(Map<Obliged, Timeline> timelines, Obliged who, Purge purge) {
            timelines
                    .computeIfAbsent(who, absent -> new Timeline())
                    .add(purge.answered(), purge.invoked());
        }

        private void check(Read read) {
            checkBody(read);
            if (read.isWrong()) {
                return;
            }
            checkAge(read);
            checkPurges(read);
        }

        private void checkBody(Read read) {
            if (!versions.exists(read.url(), read.version(), read.ended())) {
                found.violation(Promise.BODY, read::toString);
            }
        }

        private void checkAge(Read read) {
            if (read.age().isEmpty()) {
                return;
            }
            long least = versions.leastAge(read.url(), read.version(), read.started());
            long most = versions.mostAge(read.url(), read.version(), read.ended());
            long age = Duration.ofSeconds(read.age().getAsLong()).toNanos();
            long slack = AGE_SLACK.toNanos();
            if (age < least - slack || age > most + slack) {
                found.violation(
                        Promise.AGE,
                        () ->
                                "expected an age from %.1f to %.1f s: %s"
                                        .formatted(least / 1e9, most / 1e9, read));
            }
        }

        private void checkPurges(Read read) {
            int node = read.node();
            long started = read.started();
            long kill = disturbances.lastKill(node, started);
            long unknownFrom =
                    disturbances.unknownFrom(node, started, HEALING_NANOS, REPLICATION.toNanos());
            boolean isHealed = disturbances.isCalm(node, started - HEALING_NANOS, started);
            var broken = new HashSet<Promise>();
            for (var name : names.apply(read.url())) {
                var who = new Obliged(node, name);
                var must = acknowledged.get(who);
                var made = own.get(who);
                if (isStale(read, must, started, kill, unknownFrom)) {
                    broken.add(Promise.FLEET);
                }
                if (isStale(read, made, started, kill, unknownFrom)) {
                    broken.add(Promise.OWN);
                }
                if (isStale(read, must, kill, kill, unknownFrom)
                        || isStale(read, made, kill, kill, unknownFrom)) {
                    broken.add(Promise.RESTARTED);
                }
                for (int asked = 0; isHealed && asked < nodes; asked++) {
                    if (disturbances.isCalm(asked, started - HEALING_NANOS, started)
                            && isStale(
                                    read,
                                    healed.get(new Obliged(asked, name)),
                                    started - HEALING_NANOS)) {
                        broken.add(Promise.HEALED);
                    }
                }
            }
            broken.forEach(promise -> found.violation(promise, () -> explanation(read)));
        }

        /**
         * Returns the purges that the read is stale for, the disturbances before it, and what else
         * the node has answered.
         */
        private String explanation(Read read) {
            var text = new StringBuilder(read.toString());
            text.append("\n      at ").append(wall(read.started()));
            for (var purge : purges) {
                if (purge.answered() < read.started()
                        && names.apply(read.url()).stream().anyMatch(purge.names()::contains)
                        && read.version() < versions.newest(read.url(), purge.invoked())) {
                    text.append(
                            "\n      %.3f s after the answer to %s"
                                    .formatted((read.started() - purge.answered()) / 1e9, purge));
                }
            }
            for (var event : disturbed) {
                if (event.begun() < read.started()
                        && event.ended() > read.started() - RECENT_NANOS) {
                    text.append(
                            "\n      %s from %.3f to %.3f s before"
                                    .formatted(
                                            event.what(),
                                            (read.started() - event.begun()) / 1e9,
                                            (read.started() - event.ended()) / 1e9));
                }
            }
            text.append("\n      reads of it at that node:");
            reads.stream()
                    .filter(each -> each.node() == read.node() && each.url().equals(read.url()))
                    .filter(each -> Math.abs(each.started() - read.started()) < CONTEXT.toNanos())
                    .sorted(Comparator.comparingLong(Read::started))
                    .forEach(each ->
                            text.append(
                                    " %+.3f s v%d %s;"
                                            .formatted(
                                                    (each.started() - read.started()) / 1e9,
                                                    each.version(),
                                                    each.source())));
            return text.toString();
        }

        /** The time of the clock of this machine, which the logs of the nodes show. */
        private static Instant wall(long nanos) {
            return Instant.now().minusNanos(System.nanoTime() - nanos);
        }

        /** Whether the version is older than purges require that were answered before a time. */
        private boolean isStale(Read read, @Nullable Timeline timeline, long before) {
            return timeline != null
                    && read.version()
                            < versions.newest(read.url(), timeline.greatestBefore(before));
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

    /**
     * Whether a node must obey a purge from its answer on: with {@code ack: fleet}, if it ran and
     * the answer does not say that it has not acknowledged.
     */
    static boolean mustObey(Purge purge, int node, Disturbances disturbances) {
        return purge.ack() == Ack.FLEET
                && !purge.missing().contains(node)
                && disturbances.isRunning(node, purge.invoked(), purge.answered());
    }

    /**
     * Whether its node may have been killed before the purge was written to the log, though the
     * answer did not promise that it outlives that.
     */
    static boolean mayBeLost(Purge purge, Disturbances disturbances) {
        if (purge.isDurable()) {
            return false;
        }
        long kill = disturbances.nextKill(purge.node(), purge.invoked());
        long from = kill - HEALING_NANOS;
        return kill != Long.MAX_VALUE
                && (purge.answered() > from || !disturbances.isCalm(purge.node(), from, kill - 1));
    }
}
