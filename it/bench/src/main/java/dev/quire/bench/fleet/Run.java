package dev.quire.bench.fleet;

import dev.quire.bench.fleet.Event.Change;
import dev.quire.bench.fleet.Event.Disturbance;
import dev.quire.bench.fleet.Event.Kind;
import dev.quire.bench.kill.StampedOrigin;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/** A fleet under load, and what was seen of it. Thread-safe. */
final class Run {
    private static final int MOST_FAULTS = 20;

    private final Fleet fleet;
    private final StampedOrigin origin;
    private final boolean isJournalled;
    private final History history;
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
    private final Map<String, Long> made = new ConcurrentHashMap<>();

    /** The lives of each node: even while it runs, odd from a kill until it is ready again. */
    private final AtomicIntegerArray lives;

    private volatile boolean isOver;

    Run(Fleet fleet, StampedOrigin origin, boolean isJournalled) {
        this.fleet = fleet;
        this.origin = origin;
        this.isJournalled = isJournalled;
        this.history =
                new History(
                        fleet.size(), FleetSite::names, System.nanoTime(), fleet.furtherPromises());
        history.allowOlder(FleetSite::variesAtTimes);
        this.lives = new AtomicIntegerArray(fleet.size());
        origin.changeBy(this::change);
    }

    Fleet fleet() {
        return fleet;
    }

    History history() {
        return history;
    }

    /** Whether an answer to a purge that does not wait for the log outlives a kill of the node. */
    boolean isJournalled() {
        return isJournalled;
    }

    /** Whether no more events shall begin. */
    boolean isOver() {
        return isOver;
    }

    void end() {
        isOver = true;
    }

    /** Makes new versions. One at a time, so that the times of versions have their order. */
    synchronized void change(List<String> urls) {
        urls.forEach(this::change);
    }

    private synchronized long change(String url) {
        long begun = System.nanoTime();
        long version = origin.change(url);
        long ended = System.nanoTime();
        history.add(new Change(url, version, begun, ended));
        made.put(url + " " + version, ended);
        return version;
    }

    /** When a version was complete. */
    long made(String url, long version) {
        return made.getOrDefault(url + " " + version, 0L);
    }

    /** Counts something that happened. */
    void count(String what) {
        counts.computeIfAbsent(what, absent -> new LongAdder()).increment();
    }

    /** The counts by name, in order. */
    Map<String, Long> counts() {
        return counts.entrySet().stream()
                .collect(
                        Collectors.toMap(
                                Map.Entry::getKey,
                                entry -> entry.getValue().sum(),
                                Long::sum,
                                TreeMap::new));
    }

    /** Notes an error that a client has seen. */
    void fault(String text) {
        count("errors");
        if (faults.size() < MOST_FAULTS) {
            faults.add(text);
        }
    }

    List<String> faults() {
        return List.copyOf(faults);
    }

    /** Names the present life of a node; a kill begins another one. */
    int life(int node) {
        return lives.get(node);
    }

    /** Whether a node has run all the time since it was in {@code life}. */
    boolean isRunningSince(int node, int life) {
        return life % 2 == 0 && life == lives.get(node);
    }

    /** Kills {@code node}, and starts it again after {@code pause}. */
    void kill(int node, Pause pause) throws Exception {
        lives.incrementAndGet(node);
        long begun = System.nanoTime();
        fleet.node(node).kill();
        pause.run();
        fleet.node(node).start();
        lives.incrementAndGet(node);
        disturbed("killed " + Fleet.name(node), Set.of(node), Kind.KILL, begun);
    }

    /** Something that takes a while. */
    @FunctionalInterface
    interface Pause {
        void run() throws Exception;
    }

    /** Notes a disturbance that ends now. */
    void disturbed(String what, Set<Integer> nodes, Kind kind, long begun) {
        history.add(new Disturbance(what, nodes, kind, begun, System.nanoTime()));
    }

    /** Returns the newest version of a URL. */
    long version(String url) {
        return origin.version(url);
    }

    long originRequests() {
        return origin.requests();
    }
}
