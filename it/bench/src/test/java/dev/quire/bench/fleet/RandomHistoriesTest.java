package dev.quire.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.bench.fleet.Event.Ack;
import dev.quire.bench.fleet.Event.Change;
import dev.quire.bench.fleet.Event.Disturbance;
import dev.quire.bench.fleet.Event.Effect;
import dev.quire.bench.fleet.Event.Kind;
import dev.quire.bench.fleet.Event.Lift;
import dev.quire.bench.fleet.Event.Purge;
import dev.quire.bench.fleet.Event.Read;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares the checker with one that compares each read with each purge, as the promises say. */
class RandomHistoriesTest {
    private static final int NODES = 3;
    private static final List<Effect> EFFECTS =
            List.of(
                    Effect.HARD,
                    Effect.HARD,
                    Effect.SOFT,
                    Effect.PERHAPS_SOFT,
                    Effect.UNTIL_LIFTED);
    private static final int URLS = 4;
    private static final int HISTORIES = 300;
    private static final long HEALING = History.HEALING.toNanos();
    private static final long GRACE = History.LONGEST_GRACE.toNanos();
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long LONGEST = 60 * SECOND;

    /** How often each promise was broken in all histories. */
    private final Map<Promise, Long> broken = new EnumMap<>(Promise.class);

    @Test
    void theCheckerFindsTheSameAsANaiveOne() {
        long delays = 0;
        for (int seed = 0; seed < HISTORIES; seed++) {
            var events = events(new SplittableRandom(seed));
            boolean validates = seed % 2 == 0;
            var history = new History(NODES, RandomHistoriesTest::names, 0, further(validates));
            events.forEach(history::add);

            var verdict = history.verdict();

            var naive = new Naive(events, further(validates));
            assertThat(verdict.violations()).as("seed %d", seed).isEqualTo(naive.violations());
            assertThat(verdict.delays()).as("seed %d", seed).isEqualTo(naive.delays());
            verdict.violations()
                    .forEach((promise, count) -> broken.merge(promise, count, Long::sum));
            delays += Arrays.stream(verdict.delays()).filter(delay -> delay > 0).count();
        }
        assertThat(broken).containsOnlyKeys(Promise.values());
        assertThat(delays).isPositive();
    }

    private static Set<Promise> further(boolean validates) {
        return validates ? Set.of(Promise.LEASE) : Set.of(Promise.ORDER);
    }

    private static List<String> names(String url) {
        return List.of(url, "tag-" + Integer.parseInt(url.substring(1)) % 2);
    }

    /** Many histories are nearly right, so that promises are broken one at a time. */
    private static List<Event> events(SplittableRandom random) {
        var events = new ArrayList<Event>();
        for (int i = 0; i < random.nextInt(5); i++) {
            long begun = random.nextLong(LONGEST);
            var nodes = random.nextBoolean() ? Set.of(0, 1, 2) : Set.of(random.nextInt(NODES));
            var losing = random.nextBoolean() ? Kind.LOSS : Kind.ANEW;
            var kind = nodes.size() == 1 ? Kind.KILL : losing;
            kind = random.nextBoolean() ? kind : Kind.OTHER;
            long ended = begun + random.nextLong(8 * SECOND);
            events.add(new Disturbance("random", nodes, kind, begun, ended));
        }
        var changes = new ArrayList<Change>();
        for (int url = 0; url < URLS; url++) {
            long time = 0;
            for (int version = 2; version < 2 + random.nextInt(6); version++) {
                time += 1 + random.nextLong(10 * SECOND);
                long begun = time;
                time += 1 + random.nextLong(SECOND / 100);
                changes.add(new Change("/" + url, version, begun, time));
            }
        }
        events.addAll(changes);
        for (int i = 0; i < 12; i++) {
            var url = "/" + random.nextInt(URLS);
            long invoked = random.nextLong(LONGEST);
            var missing =
                    random.nextInt(4) == 0 ? Set.of(random.nextInt(NODES)) : Set.<Integer>of();
            events.add(
                    new Purge(
                            random.nextInt(NODES),
                            EFFECTS.get(random.nextInt(EFFECTS.size())),
                            List.of(names(url).get(random.nextInt(2))),
                            Ack.ALL.get(random.nextInt(3)),
                            random.nextInt(3) > 0,
                            missing,
                            invoked,
                            invoked + 1 + random.nextLong(SECOND / 10)));
        }
        for (int i = 0; i < random.nextInt(4); i++) {
            long invoked = random.nextLong(LONGEST);
            var url = "/" + random.nextInt(URLS);
            events.add(
                    new Lift(
                            names(url).get(random.nextInt(2)),
                            invoked,
                            invoked + 1 + random.nextLong(SECOND)));
        }
        var versions = new Versions(changes, 0);
        for (int i = 0; i < 60; i++) {
            var url = "/" + random.nextInt(URLS);
            var purges = History.of(Purge.class, events);
            long started =
                    random.nextBoolean()
                            ? random.nextLong(LONGEST)
                            : purges.get(random.nextInt(purges.size())).answered()
                                    + random.nextLong(SECOND / 50);
            long newest = versions.newest(url, started);
            long version = random.nextInt(8) > 0 ? newest : newest - 1 - random.nextInt(2);
            version = random.nextInt(100) == 0 ? newest + 1 : Math.max(1, version);
            version = random.nextInt(200) == 0 ? Read.WRONG : version;
            var age =
                    random.nextInt(5) > 0
                            ? OptionalLong.empty()
                            : OptionalLong.of(random.nextLong(30));
            events.add(
                    new Read(
                            random.nextInt(NODES),
                            url,
                            "",
                            version,
                            age,
                            "memory",
                            random.nextBoolean(),
                            started,
                            started + 1 + random.nextLong(SECOND / 100)));
        }
        return events;
    }

    private static final class Naive {
        private final List<Read> reads;
        private final List<Purge> purges;
        private final List<Change> changes;
        private final List<Disturbance> disturbances;
        private final List<Lift> lifts;
        private final Set<Promise> further;

        Naive(List<Event> events, Set<Promise> further) {
            this.further = further;
            lifts = History.of(Lift.class, events);
            reads = History.of(Read.class, events);
            purges = History.of(Purge.class, events);
            changes = History.of(Change.class, events);
            disturbances = History.of(Disturbance.class, events);
        }

        Map<Promise, Long> violations() {
            var counts = new EnumMap<Promise, Long>(Promise.class);
            for (var read : reads) {
                violations(read).forEach(promise -> counts.merge(promise, 1L, Long::sum));
            }
            return counts;
        }

        private Set<Promise> violations(Read read) {
            var broken = EnumSet.noneOf(Promise.class);
            boolean exists =
                    read.version() == 1
                            || changes.stream()
                                    .anyMatch(change ->
                                            isOf(change, read.url(), read.version())
                                                    && change.begun() < read.ended());
            if (!exists) {
                broken.add(Promise.BODY);
            }
            if (read.isWrong()) {
                return broken;
            }
            if (read.age().isPresent() && isWrongAge(read)) {
                broken.add(Promise.AGE);
            }
            if (further.contains(Promise.ORDER)
                    && lifts.stream().noneMatch(lift -> names(read.url()).contains(lift.name()))
                    && reads.stream().anyMatch(other -> isLater(read, other))) {
                broken.add(Promise.ORDER);
            }
            for (var purge : purges) {
                if (mayBeLost(purge)) {
                    continue;
                }
                var disobeyed = disobeyed(read, purge, read.started());
                switch (purge.effect()) {
                    case HARD -> broken.addAll(disobeyed);
                    case UNTIL_LIFTED -> {
                        if (lifts.stream().noneMatch(lift -> isLifted(purge, lift, read))) {
                            broken.addAll(disobeyed);
                        }
                    }
                    case PERHAPS_SOFT -> {}
                    case SOFT -> {
                        boolean isLate =
                                !disobeyed(read, purge, read.started() - GRACE).isEmpty()
                                        && purges.stream()
                                                .noneMatch(other -> isSoftSince(other, read));
                        if (isLate || (!read.isStale() && !disobeyed.isEmpty())) {
                            broken.add(Promise.SOFT);
                        }
                    }
                }
                if (further.contains(Promise.LEASE) && purge.isHard() && isPastLease(read, purge)) {
                    broken.add(Promise.LEASE);
                }
            }
            return broken;
        }

        /** Whether {@code earlier} is of the same process, and of a later version. */
        private boolean isLater(Read read, Read earlier) {
            return earlier.node() == read.node()
                    && earlier.url().equals(read.url())
                    && earlier.ended() < read.started()
                    && !earlier.isWrong()
                    && earlier.version() > read.version()
                    && kill(earlier).equals(kill(read));
        }

        private Optional<Disturbance> kill(Read read) {
            return kills(read.node())
                    .filter(one -> one.ended() < read.started())
                    .max(Comparator.comparingLong(Disturbance::begun));
        }

        private static boolean isSoftSince(Purge other, Read read) {
            return Set.of(Effect.SOFT, Effect.PERHAPS_SOFT).contains(other.effect())
                    && isCovered(read, other)
                    && other.invoked() < read.ended()
                    && other.answered() >= read.started() - GRACE;
        }

        private static boolean isLifted(Purge ban, Lift lift, Read read) {
            return ban.names().contains(lift.name())
                    && lift.answered() >= ban.invoked() - History.LATER.toNanos()
                    && lift.invoked() <= read.ended();
        }

        private boolean isPastLease(Read read, Purge purge) {
            return purge.ack() != Ack.LOCAL
                    && isStale(read, purge, read.started() - History.LEASE.toNanos())
                    && disturbances.stream()
                            .filter(one -> one.kind() == Kind.LOSS || one.kind() == Kind.ANEW)
                            .filter(one -> one.nodes().contains(read.node()))
                            .filter(one -> one.begun() < read.ended())
                            .allMatch(one -> one.ended() < purge.invoked());
        }

        /** The promises that are broken if the node had to know the purge at {@code since}. */
        private Set<Promise> disobeyed(Read read, Purge purge, long since) {
            var broken = EnumSet.noneOf(Promise.class);
            if (!isStale(read, purge, since)) {
                return broken;
            }
            boolean isOwn = purge.node() == read.node();
            boolean isAcknowledged =
                    purge.ack() == Ack.FLEET
                            && !purge.missing().contains(read.node())
                            && kills(read.node())
                                    .noneMatch(kill ->
                                            kill.begun() <= purge.answered()
                                                    && kill.ended() >= purge.invoked());
            boolean isUnknown = isUnknown(purge, read, since);
            if (isOwn && !isUnknown) {
                broken.add(Promise.OWN);
            }
            if (isAcknowledged && !isUnknown) {
                broken.add(Promise.FLEET);
            }
            if ((isOwn || isAcknowledged)
                    && !isUnknown
                    && kills(read.node())
                            .anyMatch(kill ->
                                    kill.begun() > purge.answered() && kill.ended() < since)) {
                broken.add(Promise.RESTARTED);
            }
            if (purge.answered() < since - HEALING
                    && isCalm(read.node(), since - HEALING, since)
                    && isCalm(purge.node(), since - HEALING, since)) {
                broken.add(Promise.HEALED);
            }
            return broken;
        }

        /** Whether the node may have been started without knowing the purge. */
        private boolean isUnknown(Purge purge, Read read, long since) {
            var kill =
                    kills(read.node())
                            .filter(one -> one.ended() < since)
                            .max(Comparator.comparingLong(Disturbance::begun));
            return kill.isPresent()
                    && purge.invoked() <= kill.get().begun()
                    && disturbances.stream()
                            .filter(Disturbance::isLoss)
                            .filter(loss -> loss.begun() <= since)
                            .filter(loss -> since - loss.ended() <= HEALING)
                            .filter(loss -> kill.get().ended() >= loss.begun())
                            .anyMatch(loss ->
                                    purge.answered()
                                            >= loss.begun() - History.REPLICATION.toNanos());
        }

        private static boolean isOf(Change change, String url, long version) {
            return change.url().equals(url) && change.version() == version;
        }

        private boolean isWrongAge(Read read) {
            long age = read.age().getAsLong() * SECOND;
            long slack = History.AGE_SLACK.toNanos();
            long most = read.version() == 1 ? read.ended() : 0;
            long least = 0;
            for (var change : changes) {
                if (isOf(change, read.url(), read.version())) {
                    most = read.ended() - change.begun();
                }
                if (isOf(change, read.url(), read.version() + 1)) {
                    least = Math.max(0, read.started() - change.ended());
                }
            }
            return age < least - slack || age > most + slack;
        }

        private boolean isStale(Read read, Purge purge, long since) {
            long required =
                    1
                            + changes.stream()
                                    .filter(change -> change.url().equals(read.url()))
                                    .filter(change -> change.ended() <= purge.invoked())
                                    .count();
            return isCovered(read, purge) && purge.answered() < since && read.version() < required;
        }

        private static boolean isCovered(Read read, Purge purge) {
            return purge.names().stream().anyMatch(names(read.url())::contains);
        }

        private Stream<Disturbance> kills(int node) {
            return disturbances.stream().filter(one -> one.isKill() && one.nodes().contains(node));
        }

        private boolean isCalm(int node, long from, long to) {
            return disturbances.stream()
                    .filter(one -> one.nodes().contains(node))
                    .noneMatch(one -> one.begun() <= to && one.ended() >= from);
        }

        private boolean mayBeLost(Purge purge) {
            return !purge.isDurable()
                    && kills(purge.node())
                            .filter(kill -> kill.begun() >= purge.invoked())
                            .min(Comparator.comparingLong(Disturbance::begun))
                            .filter(kill ->
                                    purge.answered() > kill.begun() - HEALING
                                            || !isCalm(
                                                    purge.node(),
                                                    kill.begun() - HEALING,
                                                    kill.begun() - 1))
                            .isPresent();
        }

        long[] delays() {
            var delays = new HashMap<List<Object>, Long>();
            for (int node : IntStream.range(0, NODES).toArray()) {
                var measured = purges.stream().filter(purge -> isMeasured(purge, node)).toList();
                measured.forEach(purge -> delays.put(List.of(node, purge), 0L));
                for (var read : reads) {
                    if (read.node() == node && !read.isWrong()) {
                        for (var name : names(read.url())) {
                            measured.stream()
                                    .filter(purge -> purge.names().contains(name))
                                    .filter(purge -> isStale(read, purge, read.started()))
                                    .min(Comparator.comparingLong(Purge::answered))
                                    .ifPresent(purge ->
                                            delays.merge(
                                                    List.of(node, purge),
                                                    read.started() - purge.answered(),
                                                    Math::max));
                        }
                    }
                }
            }
            return delays.values().stream().mapToLong(Long::longValue).sorted().toArray();
        }

        private boolean isMeasured(Purge purge, int node) {
            long from = purge.invoked() - HEALING;
            long to = purge.answered() + HEALING;
            return purge.ack() == Ack.LOG
                    && purge.isHard()
                    && purge.node() != node
                    && !purge.missing().contains(node)
                    && isCalm(node, from, to)
                    && isCalm(purge.node(), from, to)
                    && reads.stream()
                            .anyMatch(read ->
                                    read.node() == node
                                            && isCovered(read, purge)
                                            && read.started() >= purge.answered()
                                            && read.started() - purge.answered()
                                                    <= Delays.SOON.toNanos());
        }
    }
}
