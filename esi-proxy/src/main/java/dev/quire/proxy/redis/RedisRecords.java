package dev.quire.proxy.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.cache.SharedRecords;
import dev.quire.proxy.cache.TierWrite;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.store.Lease;
import dev.quire.proxy.store.RecordKeys;
import dev.quire.proxy.store.RecordSeal;
import dev.quire.proxy.store.StoreCircuit;
import dev.quire.proxy.store.StoreCounts;
import dev.quire.proxy.store.StoreFault;
import dev.quire.proxy.store.StoreHealth;
import dev.quire.proxy.store.StoreQueue;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Records in Redis or Valkey, with one connection for each event loop. It connects in the
 * background: a store that is away fails neither the start nor a request.
 */
public final class RedisRecords implements SharedRecords, AutoCloseable {

    /*
     * A request is sent on the connection of its loop, and its answer comes there: no thread
     * changes. The circuit breaker and the limits of waiting calls are shared by all loops.
     *
     * The circuit is open if too many calls fail, and then one read a second tries it. A server
     * that does not answer three of them in a row may be one that is stopped while its machine
     * still acknowledges; another one may have taken its place. So all connections are made anew.
     */

    private static final long TRIAL_MILLIS = 1_000;
    private static final int TRIALS = 3;
    private static final long FAILED_MILLIS = 1_000;
    private static final long UNCACHEABLE_MILLIS = 120_000;
    private static final long CLOSE_SECONDS = 2;
    private static final int HOLDER_BYTES = 8;

    private final RedisSettings settings;
    private final LongSupplier epoch;
    private final RecordKeys keys;
    private final byte[] holder = holder();
    private final HashedWheelTimer timer =
            new HashedWheelTimer(new DefaultThreadFactory("quire-redis-timer", true));
    private final List<StoreClient> clients;
    private final List<StoreConnection> connections;
    private final IdentityHashMap<EventLoop, StoreConnection> byLoop = new IdentityHashMap<>();
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger connected = new AtomicInteger();
    private final StoreQueue queue;
    private final StoreCircuit circuit = new StoreCircuit(System.nanoTime());
    private final StoreHealth health = new StoreHealth();
    private final StoreCounts counts = new StoreCounts();
    private final AtomicInteger failedTrials = new AtomicInteger();
    private final int valueBytes;

    /**
     * Begins to connect.
     *
     * @param loops of the transport of this machine; owned by the caller, and to be shut down after
     *     this
     * @param epoch returns that of the present positions: records of others are not later than any
     */
    public RedisRecords(RedisSettings settings, Collection<EventLoop> loops, LongSupplier epoch) {
        this.settings = settings;
        this.epoch = epoch;
        this.keys = new RecordKeys(settings.namespace());
        this.queue = new StoreQueue(settings.limits().queue(), settings.limits().writingBytes());
        this.valueBytes =
                settings.records().maxBytes()
                        + (settings.records().secret().isPresent() ? RecordSeal.BYTES : 0);
        this.clients = loops.stream().map(loop -> new StoreClient(settings, loop, timer)).toList();
        var all = loops.iterator();
        this.connections = clients.stream().map(client -> connection(all.next(), client)).toList();
        connections.forEach(connection -> byLoop.put(connection.loop(), connection));
        connections.forEach(connection -> connection.loop().execute(connection::connect));
    }

    private StoreConnection connection(EventLoop loop, StoreClient client) {
        return new StoreConnection(
                loop,
                client,
                new RecordSeal(settings.records().secret()),
                settings.limits().timeout().toNanos(),
                new Watch(loop));
    }

    private static byte[] holder() {
        var random = new byte[HOLDER_BYTES];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random).getBytes(US_ASCII);
    }

    /** The name by which this process holds leases: 64 random bits in hexadecimal digits. */
    public String holderName() {
        return new String(holder, US_ASCII);
    }

    @Override
    public boolean isUsable() {
        return connected.get() > 0 && circuit.state() == StoreCircuit.State.CLOSED;
    }

    /** 0 if it is used, 1 if one request tries whether it works, 2 if it does not. */
    public int state() {
        return (connected.get() > 0 ? circuit.state() : StoreCircuit.State.OPEN).number();
    }

    /** Why it does not work, or what failed last, until it works again; or nothing. */
    public Optional<String> failure() {
        return health.failure();
    }

    public long count(TierWrite outcome) {
        return counts.of(outcome);
    }

    public long count(Lease outcome) {
        return counts.of(outcome);
    }

    /** The number of values that were not records of their keys. */
    public long corrupt() {
        return counts.corrupt();
    }

    /** The number of connections that are open now. */
    public int connections() {
        return connected.get();
    }

    /** The calls that wait for the store. */
    public int waiting() {
        return queue.waiting();
    }

    @Override
    public int maxRecordBytes() {
        return settings.records().maxBytes();
    }

    @Override
    public void get(Place place, EventLoop loop, Consumer<Answer> then) {
        var key = keys.record(place);
        ask(
                loop,
                then,
                StoreRequest.read(key, valueBytes + 1L),
                (reply, connection) ->
                        switch (reply) {
                            case StoreReply.Bytes(var bytes) when !bytes.isReadable() -> {
                                bytes.release();
                                yield new Absent();
                            }
                            case StoreReply.Bytes(var bytes) ->
                                    checked(place, key, bytes, connection, new Absent());
                            case StoreReply.Failure failure -> failed(place, failure);
                            case StoreReply.Count number -> unexpected();
                            case StoreReply.Other other -> new Absent();
                        });
    }

    @Override
    public void lease(Place place, @Nullable Version seen, EventLoop loop, Consumer<Answer> then) {
        var key = keys.record(place);
        ask(
                loop,
                then,
                StoreRequest.run(
                        StoreScript.LEASE,
                        List.of(key, keys.lease(place)),
                        seen == null ? new byte[0] : RecordKeys.bytes(seen),
                        holder,
                        settings.records().lease().toMillis(),
                        (long) valueBytes),
                (reply, connection) ->
                        switch (reply) {
                            case StoreReply.Bytes(var bytes) ->
                                    checked(place, key, bytes, connection, new None(Reason.ERROR));
                            case StoreReply.Count(long number) -> leased(number);
                            case StoreReply.Failure failure -> failed(place, failure);
                            case StoreReply.Other other -> unexpected();
                        });
    }

    private Answer leased(long number) {
        for (var lease : Lease.values()) {
            if (lease.number() == number) {
                counts.add(lease);
                return switch (lease) {
                    case GRANTED -> new Absent();
                    case TAKEN -> new Taken();
                    case FAILED -> new Failed();
                    case UNCACHEABLE -> new Uncacheable();
                };
            }
        }
        return unexpected();
    }

    private Answer failed(Place place, StoreReply.Failure failure) {
        if (failure.detail().startsWith("WRONGTYPE")) {
            // It does not say which of the two.
            remove(keys.record(place), keys.lease(place));
        }
        return new None(failure.reason());
    }

    private static Answer unexpected() {
        return new None(Reason.ERROR);
    }

    /** Returns the record in {@code bytes}; if they are not sealed with this key, {@code other}. */
    private Answer checked(
            Place place, byte[] key, ByteBuf bytes, StoreConnection connection, Answer other) {
        if (bytes.readableBytes() <= valueBytes && connection.seal().isRemovedFrom(key, bytes)) {
            return new Value(bytes);
        }
        bytes.release();
        corrupt(place);
        return other;
    }

    /** Converts a reply to the answer. */
    private interface Reading {
        Answer of(StoreReply reply, StoreConnection connection);
    }

    private void ask(EventLoop loop, Consumer<Answer> then, StoreRequest request, Reading reading) {
        if (!isUsable()) {
            loop.execute(() -> then.accept(new None(Reason.CLOSED)));
            return;
        }
        if (!queue.isAdmitted()) {
            loop.execute(() -> then.accept(new None(Reason.FULL)));
            return;
        }
        var own = byLoop.get(loop);
        var connection = own == null ? any() : own;
        Consumer<StoreReply> received =
                reply -> {
                    var answer = reading.of(reply, connection);
                    if (own == null) {
                        loop.execute(() -> then.accept(answer));
                    } else {
                        then.accept(answer);
                    }
                };
        if (connection.loop().inEventLoop()) {
            connection.send(request, received, queue::leave);
        } else {
            connection.loop().execute(() -> connection.send(request, received, queue::leave));
        }
    }

    /** The connection of this thread, or else one that is connected, if there is one. */
    private StoreConnection any() {
        for (var connection : connections) {
            if (connection.loop().inEventLoop() && connection.isConnected()) {
                return connection;
            }
        }
        int first = next.getAndIncrement();
        for (int i = 0; i < connections.size(); i++) {
            var connection = connections.get(Math.floorMod(first + i, connections.size()));
            if (connection.isConnected()) {
                return connection;
            }
        }
        return connections.get(Math.floorMod(first, connections.size()));
    }

    @Override
    public void put(Place place, Version version, long keepMillis, ByteBuf record) {
        if (record.readableBytes() > settings.records().maxBytes()) {
            counts.add(TierWrite.REFUSED);
            release(place, Ending.NONE);
            return;
        }
        long present = epoch.getAsLong();
        if (version.position().epoch() != present) {
            counts.add(TierWrite.REPLACED);
            release(place, Ending.NONE);
            return;
        }
        long bytes = record.readableBytes();
        if (!queue.isAdmitted(bytes)) {
            counts.add(TierWrite.DROPPED);
            return;
        }
        long keep = Math.max(1, Math.min(keepMillis, settings.records().maxTtl().toMillis()));
        var key = keys.record(place);
        var retained = record.retainedSlice();
        boolean isSent =
                tell(
                        connection ->
                                StoreRequest.run(
                                        StoreScript.PUT,
                                        List.of(key, keys.lease(place)),
                                        RecordKeys.bytes(present),
                                        RecordKeys.bytes(version),
                                        keep,
                                        new StoredValue(
                                                retained, connection.seal().of(key, retained)),
                                        holder),
                        reply -> counts.add(written(place, reply)),
                        () -> {
                            retained.release();
                            queue.written(bytes);
                        });
        if (!isSent) {
            counts.add(TierWrite.DROPPED);
        }
    }

    private TierWrite written(Place place, StoreReply reply) {
        return switch (reply) {
            case StoreReply.Count(long number) -> {
                health.writes();
                yield number == 0 ? TierWrite.REPLACED : TierWrite.STORED;
            }
            case StoreReply.Failure failure -> {
                failed(place, failure);
                yield TierWrite.FAILED;
            }
            case StoreReply.Bytes bytes -> {
                bytes.release();
                yield TierWrite.FAILED;
            }
            case StoreReply.Other other -> TierWrite.FAILED;
        };
    }

    @Override
    public void remove(Place place, Version version) {
        tell(
                connection ->
                        StoreRequest.run(
                                StoreScript.REMOVE,
                                List.of(keys.record(place)),
                                RecordKeys.bytes(epoch.getAsLong()),
                                RecordKeys.bytes(version)),
                StoreReply::release,
                () -> {});
    }

    @Override
    public void release(Place place, Ending ending) {
        tell(
                connection ->
                        StoreRequest.run(
                                StoreScript.RELEASE,
                                List.of(keys.lease(place)),
                                holder,
                                note(ending),
                                ending == Ending.FAILED ? FAILED_MILLIS : UNCACHEABLE_MILLIS),
                StoreReply::release,
                () -> {});
    }

    private static byte[] note(Ending ending) {
        return (switch (ending) {
                    case NONE -> "";
                    case FAILED -> "failed";
                    case UNCACHEABLE -> "uncacheable";
                })
                .getBytes(US_ASCII);
    }

    @Override
    public void corrupt(Place place) {
        remove(keys.record(place));
    }

    private void remove(byte[]... corrupt) {
        counts.addCorrupt();
        tell(connection -> StoreRequest.delete(corrupt), StoreReply::release, () -> {});
    }

    /** Creates a request on the loop of its connection. */
    private interface Requests {
        StoreRequest on(StoreConnection connection);
    }

    /** Returns whether the request is sent; if not, {@code ended} was run. */
    private boolean tell(Requests request, Consumer<StoreReply> then, Runnable ended) {
        if (!isUsable() || !queue.isAdmitted()) {
            ended.run();
            return false;
        }
        Runnable leaving =
                () -> {
                    ended.run();
                    queue.leave();
                };
        var connection = any();
        try {
            connection.loop().execute(() -> connection.send(request.on(connection), then, leaving));
            return true;
        } catch (RejectedExecutionException closed) {
            leaving.run();
            return false;
        }
    }

    /** Notes what one connection tells about the store. On its loop. */
    private final class Watch implements StoreConnection.Listener {
        private final EventLoop loop;

        Watch(EventLoop loop) {
            this.loop = loop;
        }

        @Override
        public void connected() {
            connected.incrementAndGet();
            if (circuit.state() == StoreCircuit.State.CLOSED) {
                health.answers();
            }
        }

        @Override
        public void disconnected(boolean wasConnected, String why) {
            if (wasConnected) {
                connected.decrementAndGet();
            }
            health.fails(StoreFault.ofConnection(why));
        }

        @Override
        public void answered(StoreReply reply) {
            boolean hasFailed = false;
            if (reply instanceof StoreReply.Failure failure) {
                var fault = fault(failure);
                hasFailed = fault == null || fault.isOutage();
                if (fault != null) {
                    health.fails(fault);
                }
            }
            if (circuit.ended(hasFailed, System.nanoTime())) {
                health.fails(StoreFault.ofSlowness());
                tryLater();
            }
        }

        /** A single late answer is not worth a line in the log. */
        private @Nullable StoreFault fault(StoreReply.Failure failure) {
            return failure.reason() == Reason.ERROR ? StoreFault.ofError(failure.detail()) : null;
        }

        private void tryLater() {
            loop.schedule(this::tryOne, TRIAL_MILLIS, TimeUnit.MILLISECONDS);
        }

        private void tryOne() {
            var connection = any();
            if (!connection.isConnected() || !circuit.tryOne()) {
                tryLater();
                return;
            }
            connection.loop().execute(() -> connection.send(trial(), this::tried, () -> {}));
        }

        /** Reads a key of any slot, and so from any server of a cluster. */
        private StoreRequest trial() {
            var random = ThreadLocalRandom.current();
            var hash = new RecordHash(random.nextLong(), random.nextLong());
            return StoreRequest.read(keys.record(new Place(hash, null)), 1);
        }

        private void tried(StoreReply reply) {
            boolean hasFailed = reply instanceof StoreReply.Failure;
            reply.release();
            circuit.tried(hasFailed);
            if (!hasFailed) {
                failedTrials.set(0);
                health.answers();
                return;
            }
            if (failedTrials.incrementAndGet() % TRIALS == 0) {
                connections.forEach(each -> each.loop().execute(each::reset));
            }
            tryLater();
        }
    }

    /** Closes all connections. Blocks. */
    @Override
    public void close() {
        connections.forEach(connection -> connection.loop().execute(connection::close));
        long end = System.nanoTime() + CLOSE_SECONDS * Time.NANOS_A_SECOND;
        for (var client : clients) {
            try {
                client.close()
                        .toCompletableFuture()
                        .get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException unclosed) {
                // The loops close what is left.
            }
        }
        timer.stop();
    }
}
