package dev.quire.bench.simulation;

import dev.quire.bench.simulation.Tally.Command;
import dev.quire.bench.simulation.Tally.Operation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The shared stores: servers that do one thing after the other, with the records, the leases and
 * the log of the fleet. They do the same as the scripts of the product.
 */
final class Stores {
    /** Between a node and a store. */
    static final long ONE_WAY = 100_000;

    /** Of one request, without its bytes. */
    static final long SERVICE = 15_000;

    /** Of one subscriber of a message. */
    static final long PUBLISH = 500;

    /** The most that a message waits in a node and in its machine. */
    private static final int JITTER = 1_000_000;

    /** In nanoseconds: 1 GB/s. */
    private static final double BYTE = 1;

    private static final long TIMEOUT = 20_000_000;
    private static final long LEASE = 2_000_000_000L;

    /** Of a request or a reply without a record. */
    static final int MESSAGE_BYTES = 150;

    /** Of a record, in addition to the body. */
    static final int RECORD_BYTES = 350;

    /** Of an invalidation in the log. */
    static final int ENTRY_BYTES = 170;

    /** An invalidation in the log; ids begin with 1. */
    static final class Entry {
        final long id;
        final int object;
        final int node;

        /** The number at that node. */
        final long number;

        final long appended;
        long lastApplied;

        Entry(long id, Node.Own own, int node, long appended) {
            this.id = id;
            this.object = own.object();
            this.number = own.number();
            this.node = node;
            this.appended = appended;
        }
    }

    /** A reply. */
    sealed interface Reply {
        /** The store was not reached, or was too late. */
        record None() implements Reply {}

        record Value(Copy.Shared record) implements Reply {}

        record Absent() implements Reply {}

        record Granted() implements Reply {}

        record Taken() implements Reply {}

        /** The entry is in the log. */
        record Appended(Entry entry) implements Reply {}

        /**
         * The reply to a tick.
         *
         * @param entries those after the one that was asked for
         */
        record Log(long epoch, List<Entry> entries) implements Reply {}
    }

    private record Held(int node, long until) {}

    private final Timeline timeline;
    private final Load load;
    private final @Nullable Fault fault;
    private final Tally tally;
    private final SplittableRandom random;
    private final List<Node> nodes = new ArrayList<>();
    private final long[] busyUntil;
    private final long[] heardUntil;
    private final Map<Integer, Copy.Shared> records = new HashMap<>();
    private final Map<Integer, Held> leases = new HashMap<>();
    private final List<Entry> log = new ArrayList<>();
    private long epoch = 1;

    Stores(Timeline timeline, Load load, @Nullable Fault fault, Tally tally) {
        this.timeline = timeline;
        this.load = load;
        this.fault = fault;
        this.tally = tally;
        this.random = new SplittableRandom(load.seed() + 1);
        this.busyUntil = new long[load.shards()];
        this.heardUntil = new long[load.nodes()];
        if (fault != null) {
            timeline.at(fault.end(), () -> empty(fault));
        }
    }

    /** A node that gets messages. */
    void join(Node node) {
        nodes.add(node);
    }

    private void empty(Fault ended) {
        records.keySet().removeIf(object -> ended.emptiesShard(shard(object)));
        leases.keySet().removeIf(object -> ended.emptiesShard(shard(object)));
        if (ended.emptiesShard(0)) {
            log.clear();
            epoch++;
        }
    }

    private int shard(int object) {
        return object % load.shards();
    }

    boolean isReached(int node, int object) {
        return isReachedShard(node, shard(object));
    }

    private boolean isReachedShard(int node, int shard) {
        return fault == null || fault.isReached(node, shard, timeline.now());
    }

    private int recordBytes() {
        return load.objectBytes() + RECORD_BYTES;
    }

    /** The work of a server, which returns the reply. */
    private interface Work {
        Reply done();
    }

    private static int bytes(Reply reply, int record) {
        return MESSAGE_BYTES
                + switch (reply) {
                    case Reply.Value value -> record;
                    case Reply.Log known -> known.entries().size() * ENTRY_BYTES;
                    default -> 0;
                };
    }

    private void call(
            int node,
            int shard,
            Operation operation,
            int sentBytes,
            Work work,
            Consumer<Reply> then) {
        long sent = timeline.now();
        timeline.after(
                ONE_WAY,
                () -> {
                    if (!isReachedShard(node, shard)) {
                        timeline.at(sent + TIMEOUT, () -> then.accept(new Reply.None()));
                        return;
                    }
                    var reply = work.done();
                    int transferred = sentBytes + bytes(reply, recordBytes());
                    tally.operation(operation, 1, transferred);
                    long done = work(shard, SERVICE + (long) (BYTE * transferred));
                    boolean isLate = done + ONE_WAY - sent > TIMEOUT;
                    boolean isLimited =
                            operation != Operation.TICK && operation != Operation.APPEND;
                    timeline.at(
                            isLate && isLimited ? sent + TIMEOUT : done + ONE_WAY,
                            () -> then.accept(isLate && isLimited ? new Reply.None() : reply));
                });
    }

    /** Returns when it is done. */
    private long work(int shard, long nanos) {
        busyUntil[shard] = Math.max(busyUntil[shard], timeline.now()) + nanos;
        tally.busy(shard, nanos);
        return busyUntil[shard];
    }

    /** Reads the record of {@code object}. */
    void get(int node, int object, Consumer<Reply> then) {
        call(
                node,
                shard(object),
                Operation.GET,
                MESSAGE_BYTES,
                () -> {
                    tally.command(Command.GETRANGE);
                    var record = records.get(object);
                    return record == null ? new Reply.Absent() : new Reply.Value(record);
                },
                then);
    }

    /**
     * Asks for the lease.
     *
     * @param seen the record that is of no use, or null
     */
    void lease(
            int node,
            int object,
            Copy.@Nullable Shared seen,
            boolean isPoll,
            Consumer<Reply> then) {
        call(
                node,
                shard(object),
                isPoll ? Operation.POLL : Operation.LEASE,
                MESSAGE_BYTES,
                () -> leased(node, object, seen),
                then);
    }

    private Reply leased(int node, int object, Copy.@Nullable Shared seen) {
        tally.command(Command.EVALSHA);
        tally.command(Command.GETRANGE);
        var record = records.get(object);
        if (record != null && !record.equals(seen)) {
            tally.command(Command.GETRANGE);
            return new Reply.Value(record);
        }
        tally.command(Command.GET);
        var held = leases.get(object);
        if (held != null && held.until() > timeline.now() && held.node() != node) {
            return new Reply.Taken();
        }
        tally.command(Command.SET);
        leases.put(object, new Held(node, timeline.now() + LEASE));
        return new Reply.Granted();
    }

    /** Writes {@code record}, unless a later one is there, and ends the lease. */
    void put(int node, int object, Copy.Shared record) {
        call(
                node,
                shard(object),
                Operation.PUT,
                MESSAGE_BYTES + recordBytes(),
                () -> {
                    tally.command(Command.EVALSHA);
                    tally.command(Command.GET);
                    if (unleased(node, object)) {
                        tally.command(Command.UNLINK);
                    }
                    tally.command(Command.GETRANGE);
                    var old = records.get(object);
                    if (old == null || !isLater(old, record)) {
                        tally.command(Command.SET);
                        records.put(object, record);
                    }
                    return new Reply.Absent();
                },
                reply -> {});
    }

    private static boolean isLater(Copy.Shared old, Copy.Shared other) {
        var one = old.position();
        var two = other.position();
        if (one != null && two != null && one.epoch() != two.epoch()) {
            return false;
        }
        long before = one == null ? 0 : one.number();
        long after = two == null ? 0 : two.number();
        return before == after ? old.copy().fetched() > other.copy().fetched() : before > after;
    }

    private boolean unleased(int node, int object) {
        var held = leases.get(object);
        return held != null
                && held.until() > timeline.now()
                && held.node() == node
                && leases.remove(object, held);
    }

    /** Ends the lease without a record. */
    void release(int node, int object) {
        call(
                node,
                shard(object),
                Operation.RELEASE,
                MESSAGE_BYTES,
                () -> {
                    tally.command(Command.EVALSHA);
                    tally.command(Command.GET);
                    if (unleased(node, object)) {
                        tally.command(Command.UNLINK);
                    }
                    return new Reply.Absent();
                },
                reply -> {});
    }

    /** Returns the entries after {@code applied}, if that is of the present epoch. */
    void tick(int node, long nodeEpoch, long applied, Consumer<Reply> then) {
        call(
                node,
                0,
                Operation.TICK,
                MESSAGE_BYTES,
                () -> {
                    tally.command(Command.EVALSHA);
                    tally.command(Command.HSET);
                    var entries =
                            nodeEpoch == epoch
                                    ? List.copyOf(log.subList((int) applied, log.size()))
                                    : List.<Entry>of();
                    return new Reply.Log(epoch, entries);
                },
                then);
    }

    /** Appends an invalidation and publishes it. */
    void append(int node, Node.Own own, Consumer<Reply> then) {
        call(
                node,
                0,
                Operation.APPEND,
                MESSAGE_BYTES + ENTRY_BYTES,
                () -> {
                    tally.command(Command.EVALSHA);
                    tally.command(Command.XADD);
                    tally.command(Command.PUBLISH);
                    var entry = new Entry(log.size() + 1L, own, node, timeline.now());
                    log.add(entry);
                    publish(entry);
                    return new Reply.Appended(entry);
                },
                then);
    }

    private void publish(Entry entry) {
        long begun = Math.max(busyUntil[0], timeline.now());
        work(0, PUBLISH * nodes.size());
        tally.operation(Operation.MESSAGE, nodes.size(), (long) ENTRY_BYTES * nodes.size());
        for (int i = 0; i < nodes.size(); i++) {
            var node = nodes.get(i);
            int number = i;
            long heard = begun + PUBLISH * (i + 1) + ONE_WAY + random.nextInt(JITTER);
            // A connection keeps the order.
            heardUntil[i] = Math.max(heardUntil[i], heard);
            timeline.at(
                    heardUntil[i],
                    () -> {
                        if (isReachedShard(number, 0)) {
                            node.heard(entry);
                        }
                    });
        }
    }
}
