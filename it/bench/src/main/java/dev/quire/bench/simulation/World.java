package dev.quire.bench.simulation;

import dev.quire.bench.simulation.Node.Own;
import dev.quire.bench.simulation.Node.Request;
import dev.quire.bench.simulation.Stores.Entry;
import dev.quire.bench.simulation.Tally.Answer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A run of the model: clients, nodes, stores and the origin. Deterministic. */
final class World {
    private static final long HERD = 1_000_000_000L;

    private final Load load;
    private final Arrangement arrangement;
    private final @Nullable Fault fault;
    private final Timeline timeline = new Timeline();
    private final Tally tally;
    private final Stores stores;
    private final Versions versions = new Versions();
    private final SplittableRandom random;
    private final List<Node> nodes = new ArrayList<>();

    /** The responses that had an age. */
    private final Set<Long> aged = new HashSet<>();

    private final List<Entry> entries = new ArrayList<>();

    private World(Load load, Arrangement arrangement, @Nullable Fault fault) {
        this.load = load;
        this.arrangement = arrangement;
        this.fault = fault;
        this.random = new SplittableRandom(load.seed() + 2);
        this.tally = new Tally(timeline, load);
        this.stores = new Stores(timeline, load, fault, tally);
    }

    /** Runs {@code load} until all its requests are answered. */
    static Tally run(Load load, Arrangement arrangement, @Nullable Fault fault) {
        var world = new World(load, arrangement, fault);
        for (int i = 0; i < load.nodes(); i++) {
            world.nodes.add(new Node(world, i));
        }
        world.begin();
        world.timeline.run();
        world.entries.forEach(entry ->
                world.tally.delay((entry.lastApplied - entry.appended - Stores.ONE_WAY) / 1e6));
        return world.tally;
    }

    private void begin() {
        new Arrivals(load).each(timeline, this::request, this::purge);
        if (fault != null) {
            timeline.at(
                    fault.end(),
                    () -> {
                        for (int i = 0; i < nodes.size(); i++) {
                            if (fault.empties(i)) {
                                nodes.get(i).empty();
                            }
                        }
                    });
        }
    }

    private Node node(int name) {
        int chosen = name;
        while (fault != null && !fault.isUp(chosen, timeline.now())) {
            chosen = random.nextInt(nodes.size());
        }
        return nodes.get(chosen);
    }

    private void request(int node, int object) {
        boolean counts = tally.counts(timeline.now());
        if (counts) {
            tally.requested();
        }
        node(node).request(new Request(object, timeline.now(), counts));
    }

    private void purge(int node, int object) {
        int version = versions.change(object);
        int before = tally.originOf(object);
        if (tally.counts(timeline.now())) {
            timeline.after(HERD, () -> tally.addHerd(tally.originOf(object) - before));
        }
        node(node).purge(object, version);
    }

    /**
     * A purge was answered.
     *
     * @param entry its entry in the log; null without a log
     */
    void acknowledged(Own own, @Nullable Entry entry) {
        versions.acknowledge(own.object(), own.version(), timeline.now());
        if (entry != null && tally.counts(timeline.now())) {
            entries.add(entry);
        }
    }

    void answered(Request request, Answer answer, int version) {
        if (request.counts()) {
            tally.answered(
                    answer,
                    versions.outdatedFor(
                            request.object(), version, request.begun(), timeline.now()));
        }
    }

    /** The age of a response of the origin to {@code node}. */
    long age(int node, int object) {
        if (timeline.now() >= load.spreadUntil()) {
            return 0;
        }
        long place = arrangement.hasStore() ? object : (long) node * load.objects() + object;
        return aged.add(place) ? random.nextLong(load.lifetime().toNanos()) : 0;
    }

    Load load() {
        return load;
    }

    Arrangement arrangement() {
        return arrangement;
    }

    Timeline timeline() {
        return timeline;
    }

    Tally tally() {
        return tally;
    }

    Stores stores() {
        return stores;
    }

    Versions versions() {
        return versions;
    }

    SplittableRandom random() {
        return random;
    }
}
