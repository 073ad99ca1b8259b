package dev.quire.bench.simulation;

import dev.quire.bench.simulation.Stores.Entry;
import dev.quire.bench.simulation.Stores.Reply;
import dev.quire.bench.simulation.Tally.Answer;
import dev.quire.proxy.fleet.FleetPositions;
import dev.quire.proxy.store.StoreCircuit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A proxy of the fleet. */
final class Node {

    /*
     * As in the product: a response in memory that is fresh is a hit. One that has expired is
     * validated by a fetch that all requests share. Without one, each request asks the store, and
     * then shares a fetch. The fetch asks the store for the lease: it gets a record that it has not
     * seen, or the lease, or asks again. An invalidation has a number here; a response of the store
     * may be used if no invalidation after its position covers it.
     */

    private static final long TICK = 1_000_000_000L;
    private static final int LEAST_POLL = 20_000_000;
    private static final int MOST_POLL = 30_000_000;
    private static final long PATIENCE = 4_000_000_000L;
    private static final int MOST_RECORDS = 6;
    private static final long WRITE = 200_000;

    /** Between two attempts to reach a store that is away. */
    private static final long TRIAL = 1_000_000_000L;

    /** A request of a client. */
    record Request(int object, long begun, boolean counts) {}

    /** An own invalidation, which may not be in the log yet. */
    record Own(int object, long number, int version) {}

    private final World world;
    private final int name;
    private final Memory memory;
    private final Map<Integer, Fetch> fetches = new HashMap<>();

    /** The newest number of each object that was invalidated, and when that was. */
    private final Map<Integer, Purged> purged = new HashMap<>();

    /** Whether each is on its way to the log. */
    private final Map<Own, Boolean> unlogged = new LinkedHashMap<>();

    private final FleetPositions positions;
    private final StoreCircuit circuit = new StoreCircuit(0);
    private long newest;
    private long epoch = 1;
    private long applied;
    private boolean isTicking;

    private record Purged(long number, long time) {}

    Node(World world, int name) {
        this.world = world;
        this.name = name;
        this.memory = new Memory(world.load().memory());
        this.positions = new FleetPositions(() -> newest);
        positions.begin(epoch, 0);
        positions.read();
        positions.write();
        world.stores().join(this);
        if (world.arrangement().hasLog()) {
            world.timeline().at(world.random().nextLong(TICK), this::everyTick);
        }
    }

    /** Forgets all responses. */
    void empty() {
        memory.clear();
    }

    private long now() {
        return world.timeline().now();
    }

    // Requests

    void request(Request request) {
        var copy = memory.request(request.object());
        if (copy != null && isFresh(copy)) {
            world.answered(request, Answer.MEMORY, copy.version());
        } else if (copy != null || !world.arrangement().hasStore()) {
            join(request, copy);
        } else {
            search(request);
        }
    }

    private boolean isFresh(Copy copy) {
        return now() - copy.fetched() < world.load().lifetime().toNanos();
    }

    private void search(Request request) {
        if (!isStoreAsked()) {
            join(request, null);
            return;
        }
        world.stores()
                .get(
                        name,
                        request.object(),
                        reply -> {
                            noteStore(request.object(), reply);
                            var copy =
                                    reply instanceof Reply.Value(var record)
                                            ? usable(request.object(), record)
                                            : null;
                            if (copy == null) {
                                join(request, null);
                                return;
                            }
                            memory.put(request.object(), copy);
                            if (isFresh(copy)) {
                                world.answered(request, Answer.SHARED, copy.version());
                            } else {
                                join(request, copy);
                            }
                        });
    }

    /** Returns the response in {@code record}, if no invalidation that is known here covers it. */
    private @Nullable Copy usable(int object, Copy.Shared record) {
        var last = purged.get(object);
        var position = record.position();
        if (position == null) {
            boolean isCovered = last != null && last.time() >= record.copy().begun();
            return isCovered ? null : record.copy();
        }
        long order = positions.order(position);
        boolean isCovered =
                order == FleetPositions.UNKNOWN || (last != null && last.number() > order);
        var copy = record.copy();
        return isCovered ? null : new Copy(copy.version(), copy.begun(), copy.fetched(), order);
    }

    private void join(Request request, @Nullable Copy stale) {
        var running = fetches.get(request.object());
        if (running != null) {
            running.waiting.add(new Waiting(request, newest));
            return;
        }
        var fetch = new Fetch(request.object(), stale);
        fetch.waiting.add(new Waiting(request, newest));
        fetches.put(request.object(), fetch);
        fetch.begin();
    }

    /**
     * A request that shares a fetch.
     *
     * @param number the newest invalidation when it began to wait
     */
    private record Waiting(Request request, long number) {}

    /** A fetch for all requests for one object. */
    private final class Fetch {
        private final int object;
        private final @Nullable Copy stale;
        private final List<Waiting> waiting = new ArrayList<>();
        private final long since = now();
        private Copy.@Nullable Shared seen;
        private int records;
        private boolean isLeased;

        Fetch(int object, @Nullable Copy stale) {
            this.object = object;
            this.stale = stale;
        }

        void begin() {
            if (!world.arrangement().hasStore() || !isStoreAsked()) {
                toOrigin();
            } else if (world.arrangement().hasLease()) {
                ask(false);
            } else if (stale == null) {
                toOrigin();
            } else {
                world.stores().get(name, object, this::take);
            }
        }

        private void ask(boolean isPoll) {
            if (isStoreAsked()) {
                world.stores().lease(name, object, seen, isPoll, this::take);
            } else {
                toOrigin();
            }
        }

        private void take(Reply reply) {
            noteStore(object, reply);
            switch (reply) {
                case Reply.Value(var record) -> {
                    var copy = usable(object, record);
                    if (copy != null
                            && isFresh(copy)
                            && (stale == null || copy.fetched() > stale.fetched())) {
                        memory.put(object, copy);
                        end(copy, Answer.SHARED);
                    } else if (++records > MOST_RECORDS || !world.arrangement().hasLease()) {
                        toOrigin();
                    } else {
                        seen = record;
                        ask(false);
                    }
                }
                case Reply.Taken taken -> {
                    if (now() - since > PATIENCE) {
                        toOrigin();
                    } else {
                        int pause = world.random().nextInt(LEAST_POLL, MOST_POLL);
                        world.timeline().after(pause, () -> ask(true));
                    }
                }
                case Reply.Granted granted -> {
                    isLeased = true;
                    toOrigin();
                }
                default -> toOrigin();
            }
        }

        private void toOrigin() {
            long begun = now();
            long tested = newest;
            int version = world.versions().atOrigin(object);
            world.tally().origin(object);
            world.timeline()
                    .after(
                            world.load().origin().toNanos(),
                            () ->
                                    fetched(
                                            new Copy(
                                                    version,
                                                    begun,
                                                    now() - world.age(name, object),
                                                    tested)));
        }

        private void fetched(Copy copy) {
            var last = purged.get(object);
            boolean isCovered = last != null && last.number() > copy.testedUpTo();
            if (!isCovered) {
                memory.put(object, copy);
            }
            end(copy, Answer.ORIGIN);
            if (world.arrangement().hasStore()) {
                world.timeline().after(WRITE, () -> write(copy));
            }
        }

        private void write(Copy copy) {
            var last = purged.get(object);
            boolean hasLog = world.arrangement().hasLog();
            var position = hasLog ? positions.position(copy.testedUpTo()) : null;
            boolean isCovered = last != null && last.number() > copy.testedUpTo();
            if (!isStoreAsked()) {
                return;
            }
            if (!isCovered && (position != null || !hasLog)) {
                world.stores().put(name, object, new Copy.Shared(copy, position));
            } else if (isLeased) {
                world.stores().release(name, object);
            }
        }

        /** Answers the requests that began before the last invalidation; others ask again. */
        private void end(Copy copy, Answer first) {
            fetches.remove(object);
            var last = purged.get(object);
            long covers = last == null || last.number() <= copy.testedUpTo() ? 0 : last.number();
            var answer = first;
            for (var each : waiting) {
                if (covers > 0 && each.number() >= covers) {
                    request(each.request());
                } else {
                    world.answered(each.request(), answer, copy.version());
                    answer = Answer.COALESCED;
                }
            }
        }
    }

    // The store

    private boolean isStoreAsked() {
        return circuit.state() == StoreCircuit.State.CLOSED;
    }

    private void noteStore(int object, Reply reply) {
        if (circuit.ended(reply instanceof Reply.None, now())) {
            tryLater(object);
        }
    }

    private void tryLater(int object) {
        world.timeline()
                .after(
                        TRIAL,
                        () -> {
                            boolean isAway = !world.stores().isReached(name, object);
                            circuit.tryOne();
                            circuit.tried(isAway);
                            if (isAway) {
                                tryLater(object);
                            }
                        });
    }

    // Invalidations

    /** Purges {@code object}, which has a new {@code version} at the origin. */
    void purge(int object, int version) {
        boolean hasLog = world.arrangement().hasLog();
        if (hasLog) {
            positions.enter(newest + 1);
        }
        hide(object);
        var own = new Own(object, newest, version);
        if (hasLog) {
            append(own);
        } else {
            world.acknowledged(own, null);
        }
    }

    private void hide(int object) {
        newest++;
        purged.put(object, new Purged(newest, now()));
        memory.remove(object);
    }

    private void append(Own own) {
        unlogged.put(own, true);
        world.stores()
                .append(
                        name,
                        own,
                        reply -> {
                            if (reply instanceof Reply.Appended(var entry)) {
                                unlogged.remove(own);
                                heard(entry);
                                world.acknowledged(own, entry);
                            } else {
                                unlogged.put(own, false);
                            }
                        });
    }

    /** A message, or the answer to an own append. */
    void heard(Entry entry) {
        if (entry.id == applied + 1) {
            read(entry);
        } else if (entry.id > applied) {
            tick();
        }
    }

    private void read(Entry entry) {
        if (entry.id <= applied) {
            return;
        }
        if (entry.node == name) {
            positions.assign(entry.id, entry.number);
        } else {
            positions.enter(newest + 1);
            hide(entry.object);
            positions.assign(entry.id, newest);
        }
        applied = entry.id;
        entry.lastApplied = Math.max(entry.lastApplied, now());
    }

    private void everyTick() {
        tick();
        if (now() + TICK < world.load().end()) {
            world.timeline().after(TICK, this::everyTick);
        }
    }

    private void tick() {
        if (isTicking) {
            return;
        }
        isTicking = true;
        world.stores()
                .tick(
                        name,
                        epoch,
                        applied,
                        reply -> {
                            isTicking = false;
                            if (reply instanceof Reply.Log known) {
                                ticked(known);
                            }
                        });
    }

    private void ticked(Reply.Log known) {
        if (known.epoch() != epoch) {
            epoch = known.epoch();
            applied = 0;
            positions.begin(epoch, 0);
            positions.read();
            positions.write();
            tick();
            return;
        }
        known.entries().forEach(this::read);
        unlogged.entrySet().stream()
                .filter(each -> !each.getValue())
                .map(Map.Entry::getKey)
                .toList()
                .forEach(this::append);
    }
}
