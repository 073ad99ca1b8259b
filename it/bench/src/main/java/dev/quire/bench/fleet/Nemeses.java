package dev.quire.bench.fleet;

import dev.quire.bench.fleet.Event.Kind;
import dev.quire.bench.fleet.Nemesis.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Disturbs a fleet. One thread. */
final class Nemeses {
    /** Of each round, so much is without new disturbances. */
    private static final Duration ROUND = Duration.ofSeconds(45);

    private static final Duration CALM = Duration.ofSeconds(15);
    private static final Duration SHORTEST = Duration.ofMillis(200);
    private static final Duration SHORT = Duration.ofSeconds(3);

    /** Longer than nodes serve without hearing from the log. */
    private static final Duration LONG = Duration.ofSeconds(8);

    /** The calm after each failover, which is longer than a fleet needs to heal. */
    private static final Duration AFTER_FAILOVER = History.HEALING.plusSeconds(3);

    private static final Duration STEP = Duration.ofMillis(50);
    private static final Duration LONGEST_WITHOUT_ENTRIES = Duration.ofSeconds(5);

    /** The count of replicas that lacked entries when they replaced their primary server. */
    static final String ENTRIES_LOST = "failover without the last entries";

    /** Changes the last byte of each record. */
    static final String DAMAGE =
            script("redis.call('SETRANGE', k, redis.call('STRLEN', k) - 1, '?')");

    /** Gives each record the value of another one. */
    static final String SWAP =
            script(
                    "local o = redis.pcall('GET', ks[i % #ks + 1]);"
                            + " if type(o) == 'string' then redis.call('SET', k, o, 'KEEPTTL') end");

    private final Run run;
    private final List<Nemesis> kinds;
    private final List<Nemesis> coming = new ArrayList<>();
    private final SplittableRandom random;
    private final long begun = System.nanoTime();
    private boolean wasSeparate;

    /**
     * @param kinds those to choose from
     */
    Nemeses(Run run, List<Nemesis> kinds, SplittableRandom random) {
        this.run = run;
        this.kinds = List.copyOf(kinds);
        this.random = random;
    }

    /** Those that are possible for {@code fleet}. */
    static List<Nemesis> possible(Fleet fleet) {
        return Arrays.stream(Nemesis.values())
                .filter(nemesis -> nemesis.target().isIn(fleet))
                .toList();
    }

    private static String script(String each) {
        return "local ks = redis.call('KEYS', '*'); for i, k in ipairs(ks) do"
                + " if redis.call('TYPE', k).ok == 'string' and not string.find(k, '{log}', 1, true)"
                + " and string.sub(k, -2) ~= ':l' then "
                + each
                + " end end";
    }

    /** Disturbs the fleet until the run is over; the last disturbance has ended then. */
    void disturb() {
        try {
            while (!run.isOver()) {
                if (isTime()) {
                    var nemesis = next();
                    run.count("nemesis " + nemesis.name().toLowerCase(Locale.ROOT));
                    disturb(nemesis);
                    Thread.sleep(
                            nemesis.target() == Target.WATCHED_STORE
                                    ? AFTER_FAILOVER
                                    : Duration.ofMillis(random.nextLong(SHORT.toMillis())));
                } else {
                    Thread.sleep(STEP);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            run.fault("a disturbance failed: " + e);
        }
    }

    /** Whether a disturbance may begin. */
    private boolean isTime() {
        return kinds.stream().anyMatch(kind -> kind.target() == Target.WATCHED_STORE)
                || (System.nanoTime() - begun) % ROUND.toNanos() < ROUND.minus(CALM).toNanos();
    }

    /** Each kind has its turn before one comes again. */
    private Nemesis next() {
        if (coming.isEmpty()) {
            coming.addAll(kinds);
        }
        return coming.remove(random.nextInt(coming.size()));
    }

    private void disturb(Nemesis nemesis) throws Exception {
        long begun = System.nanoTime();
        switch (nemesis) {
            case STORE_STOPPED -> {
                store().suspend();
                try {
                    pause();
                } finally {
                    store().resume();
                }
                all(nemesis, begun);
            }
            case STORE_KILLED -> {
                store().kill();
                pause();
                store().restart();
                all(nemesis, Kind.ANEW, begun);
            }
            case STORE_SLOW -> {
                store().cli("DEBUG", "SLEEP", "%.1f".formatted(length().toMillis() / 1e3));
                all(nemesis, begun);
            }
            case LOG_LOST -> {
                store().cli("EVAL", "return redis.call('DEL', KEYS[1])", "1", Store.LOG);
                all(nemesis, Kind.ANEW, begun);
            }
            case VALUES_DAMAGED -> store().cli("EVAL", DAMAGE, "0");
            case VALUES_SWAPPED -> store().cli("EVAL", SWAP, "0");
            case PRIMARY_KILLED, PRIMARY_STOPPED -> failOver(nemesis);
            case NODE_KILLED -> run.kill(node(), this::pause);
            case NODE_STOPPED -> stopNode(begun);
            case LATENCY -> poisoned(nemesis, "latency", "\"latency\":500");
            case SLICED ->
                    poisoned(
                            nemesis,
                            "slicer",
                            "\"average_size\":64,\"size_variation\":32,\"delay\":10");
            case RESET -> poisoned(nemesis, "reset_peer", "\"timeout\":0");
            case CUT_OFF -> {
                int node = node();
                apart(nemesis, node, () -> lines().cut(node), this::pause);
            }
            case NODE_KILLED_APART -> killApart();
        }
    }

    private void stopNode(long begun) throws Exception {
        int node = node();
        run.fleet().node(node).suspend();
        try {
            pause();
        } finally {
            run.fleet().node(node).resume();
        }
        disturbed(Nemesis.NODE_STOPPED, node, begun);
    }

    /** Every other time the replica lacks the writes of the last moments. */
    private void failOver(Nemesis nemesis) throws Exception {
        var failover = run.fleet().failover().orElseThrow();
        failover.awaitReady();
        long begun = System.nanoTime();
        wasSeparate = !wasSeparate;
        if (wasSeparate) {
            failover.separate();
            Thread.sleep(SHORTEST.plusMillis(random.nextLong(SHORT.toMillis())));
            if (awaitEntries(failover)) {
                run.count(ENTRIES_LOST);
            }
        }
        var kind = run.isJournalled() ? Kind.ANEW : Kind.LOSS;
        if (nemesis == Nemesis.PRIMARY_KILLED) {
            failover.kill();
            all(nemesis, kind, begun);
            pause();
            failover.restart();
        } else {
            failover.suspend();
            pause();
            failover.resume();
            all(nemesis, kind, begun);
        }
    }

    /** Waits until the replica lacks an entry, since few are made on a busy machine. */
    private static boolean awaitEntries(Failover failover) throws Exception {
        long end = System.nanoTime() + LONGEST_WITHOUT_ENTRIES.toNanos();
        while (!failover.isBehind()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            Thread.sleep(STEP);
        }
        return true;
    }

    private void poisoned(Nemesis nemesis, String type, String attributes) throws Exception {
        int node = node();
        var toxiproxy = run.fleet().toxiproxy().orElseThrow();
        apart(nemesis, node, () -> toxiproxy.poison(node, type, attributes), this::pause);
    }

    /** The node makes invalidations that are not in the log, and must still know them later. */
    private void killApart() throws Exception {
        int node = node();
        boolean isHealedFirst = random.nextBoolean();
        apart(
                Nemesis.NODE_KILLED_APART,
                node,
                () -> lines().cut(node),
                () -> {
                    pause();
                    run.kill(
                            node,
                            () -> {
                                pause();
                                if (isHealedFirst) {
                                    lines().heal(node);
                                }
                            });
                    if (!isHealedFirst) {
                        pause();
                    }
                });
    }

    /** Disturbs the line of {@code node} and heals it later. */
    private void apart(Nemesis nemesis, int node, Run.Pause disturbance, Run.Pause meanwhile)
            throws Exception {
        long begun = System.nanoTime();
        disturbance.run();
        try {
            meanwhile.run();
        } finally {
            lines().heal(node);
        }
        disturbed(nemesis, node, begun);
    }

    private void disturbed(Nemesis nemesis, int node, long begun) {
        run.disturbed(nemesis + " " + Fleet.name(node), Set.of(node), Kind.OTHER, begun);
    }

    private Lines lines() {
        return run.fleet().lines().orElseThrow();
    }

    private void all(Nemesis nemesis, long begun) {
        all(nemesis, Kind.OTHER, begun);
    }

    private void all(Nemesis nemesis, Kind kind, long begun) {
        var nodes = IntStream.range(0, run.fleet().size()).boxed().collect(Collectors.toSet());
        run.disturbed(nemesis.toString(), nodes, kind, begun);
    }

    private Store store() {
        return run.fleet().store().orElseThrow();
    }

    private int node() {
        return random.nextInt(run.fleet().size());
    }

    private void pause() throws InterruptedException {
        Thread.sleep(length());
    }

    private Duration length() {
        boolean hasLease = run.fleet().furtherPromises().contains(Promise.LEASE);
        return random.nextInt(hasLease ? 2 : 5) == 0
                ? LONG
                : SHORTEST.plusMillis(random.nextLong(SHORT.toMillis()));
    }
}
