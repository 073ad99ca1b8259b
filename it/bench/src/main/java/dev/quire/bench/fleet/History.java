package dev.quire.bench.fleet;

import dev.quire.bench.fleet.Event.Ack;
import dev.quire.bench.fleet.Event.Change;
import dev.quire.bench.fleet.Event.Disturbance;
import dev.quire.bench.fleet.Event.Effect;
import dev.quire.bench.fleet.Event.Lift;
import dev.quire.bench.fleet.Event.Purge;
import dev.quire.bench.fleet.Event.Read;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Checks what a fleet has served against what it promises. Takes O(n log n) time for n events.
 * Thread-safe.
 */
final class History {
    /** After so long without a disturbance all nodes obey. */
    static final Duration HEALING = Duration.ofSeconds(5);

    /** Tolerance of the age: it is in whole seconds, and answers take time. */
    static final Duration AGE_SLACK = Duration.ofSeconds(2);

    /** With {@code partition: revalidate} each node obeys what the log has had for so long. */
    static final Duration LEASE = Duration.ofMillis(5_100);

    /** How long a response is served that a soft purge covers. */
    static final Duration GRACE = Duration.ofSeconds(3);

    /** The same for responses that have a grace of their own, and tolerance. */
    static final Duration LONGEST_GRACE = Duration.ofSeconds(4).plusMillis(500);

    /** An end of a ban is known to be older than a ban that is made so much later. */
    static final Duration LATER = Duration.ofMillis(1_500);

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
    private final Set<Promise> further;
    private final List<Event> events = new ArrayList<>();
    private volatile Predicate<String> mayBeOlder = url -> false;

    /**
     * @param names returns the names under which a URL is purged: its own, its tags and others
     * @param begun when the origin had all its first versions
     * @param further promises that only some fleets make, and this one too
     */
    History(int nodes, Function<String, List<String>> names, long begun, Set<Promise> further) {
        this.further = Set.copyOf(further);
        this.nodes = nodes;
        this.names = names;
        this.begun = begun;
    }

    /**
     * Allows an older version of {@code urls} after a newer one: their responses have variants only
     * at times, and an older variant may remain once a later response without variants has left.
     */
    void allowOlder(Predicate<String> urls) {
        mayBeOlder = urls;
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

    /**
     * A ban that was made.
     *
     * @param only the obligation by it
     * @param until when it may have been lifted
     */
    private record Lifted(Obligations only, long until) {}

    /**
     * Where versions follow one another.
     *
     * @param begun when the node was killed last
     */
    private record Place(int node, long begun, String url, String variant) {}

    private static final Timeline NONE = new Timeline();

    private final class Checking {
        private final List<Read> reads;
        private final List<Purge> purges;
        private final Versions versions;
        private final List<Disturbance> disturbed;
        private final Disturbances disturbances;
        private final Obligations hard;
        private final Obligations soft;

        /** The versions that were read, by the end of the read. */
        private final Map<Place, Timeline> seen = new HashMap<>();

        /** Those of bans after whose end an older response may come back. */
        private final Set<String> namesOfLifts = new HashSet<>();

        /** The beginnings of soft purges by name. */
        private final Map<String, Timeline> softened = new HashMap<>();

        /** Bans that were lifted, or may be, by name. There are few of each. */
        private final Map<String, List<Lifted>> lifted = new HashMap<>();

        private final Verdict.Builder found = new Verdict.Builder();

        Checking(List<Event> events) {
            reads = of(Read.class, events);
            purges = of(Purge.class, events);
            versions = new Versions(of(Change.class, events), begun);
            disturbed = of(Disturbance.class, events);
            disturbances = new Disturbances(disturbed);
            hard = new Obligations(nodes, names, versions, disturbances);
            soft = new Obligations(nodes, names, versions, disturbances);
            var lifts = of(Lift.class, events);
            lifts.forEach(lift -> namesOfLifts.add(lift.name()));
            for (var purge : purges) {
                switch (purge.effect()) {
                    case HARD -> hard.enter(purge);
                    case SOFT, PERHAPS_SOFT -> {
                        if (purge.effect() == Effect.SOFT) {
                            soft.enter(purge);
                        }
                        purge.names()
                                .forEach(name ->
                                        softened.computeIfAbsent(name, absent -> new Timeline())
                                                .add(purge.invoked(), purge.answered()));
                    }
                    case UNTIL_LIFTED -> enterLifted(purge, lifts);
                }
            }
        }

        /** A ban ends with the first end of its condition that is not known to be older. */
        private void enterLifted(Purge ban, List<Lift> lifts) {
            var only = new Obligations(nodes, names, versions, disturbances);
            only.enter(ban);
            long until =
                    lifts.stream()
                            .filter(lift -> ban.names().contains(lift.name()))
                            .filter(lift -> lift.answered() >= ban.invoked() - LATER.toNanos())
                            .mapToLong(Lift::invoked)
                            .min()
                            .orElse(Long.MAX_VALUE);
            for (var name : ban.names()) {
                lifted.computeIfAbsent(name, absent -> new ArrayList<>())
                        .add(new Lifted(only, until));
            }
        }

        Verdict verdict() {
            reads.forEach(this::see);
            reads.forEach(this::check);
            var delays = new Delays(nodes, names, versions, disturbances);
            return found.verdict(
                    reads.size(),
                    purges.size(),
                    delays.of(purges.stream().filter(Purge::isHard).toList(), reads));
        }

        private void see(Read read) {
            if (!read.isWrong()) {
                seen.computeIfAbsent(place(read), absent -> new Timeline())
                        .add(read.ended(), read.version());
            }
        }

        private Place place(Read read) {
            long begun = disturbances.lastKill(read.node(), read.started());
            return new Place(read.node(), begun, read.url(), read.variant());
        }

        private void checkOrder(Read read) {
            if (!further.contains(Promise.ORDER)
                    || mayBeOlder.test(read.url())
                    || names.apply(read.url()).stream().anyMatch(namesOfLifts::contains)) {
                return;
            }
            long newest = seen.getOrDefault(place(read), NONE).greatestBefore(read.started());
            if (newest > read.version()) {
                found.violation(
                        Promise.ORDER,
                        () -> "after version %d: %s".formatted(newest, explanation(read)));
            }
        }

        private void check(Read read) {
            checkBody(read);
            if (read.isWrong()) {
                return;
            }
            checkAge(read);
            checkPurges(read);
            checkOrder(read);
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
            var broken = EnumSet.noneOf(Promise.class);
            broken.addAll(hard.broken(read, read.started()));
            for (var name : names.apply(read.url())) {
                for (var ban : lifted.getOrDefault(name, List.of())) {
                    if (read.ended() < ban.until()) {
                        broken.addAll(ban.only().broken(read, read.started()));
                    }
                }
            }
            boolean isSoftlyStale = !read.isStale() && !soft.broken(read, read.started()).isEmpty();
            if (isSoftlyStale || isPastGrace(read)) {
                broken.add(Promise.SOFT);
            }
            if (further.contains(Promise.LEASE) && hard.isPastLease(read)) {
                broken.add(Promise.LEASE);
            }
            broken.forEach(promise -> found.violation(promise, () -> explanation(read)));
        }

        /** A later soft purge may begin the grace anew. */
        private boolean isPastGrace(Read read) {
            long before = read.started() - LONGEST_GRACE.toNanos();
            for (var name : names.apply(read.url())) {
                var timeline = softened.get(name);
                if (timeline != null && timeline.greatestBefore(read.ended()) >= before) {
                    return false;
                }
            }
            return !soft.broken(read, before).isEmpty();
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
                    .filter(each -> each.variant().equals(read.variant()))
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
