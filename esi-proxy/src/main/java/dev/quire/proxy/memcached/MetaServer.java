package dev.quire.proxy.memcached;

import dev.quire.proxy.cache.SharedRecords.Reason;
import dev.quire.proxy.store.StoreCircuit;
import dev.quire.proxy.store.StoreFault;
import dev.quire.proxy.store.StoreHealth;
import dev.quire.proxy.store.StoreQueue;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** One server, with a connection of each event loop, and its circuit breaker. Thread-safe. */
final class MetaServer {

    /*
     * The circuit is open if too many calls fail, and then one command a second tries it. After
     * three of these without a reply all connections are made anew, since another server may have
     * taken the place of this one.
     */

    private static final long TRIAL_MILLIS = 1_000;
    private static final int TRIALS = 3;

    private final MemcachedSettings.Server address;
    private final List<MetaConnection> connections;
    private final IdentityHashMap<EventLoop, MetaConnection> byLoop = new IdentityHashMap<>();
    private final AtomicInteger connected = new AtomicInteger();
    private final AtomicInteger failedTrials = new AtomicInteger();
    private final AtomicInteger next = new AtomicInteger();
    private final StoreCircuit circuit = new StoreCircuit(System.nanoTime());
    private final StoreHealth health = new StoreHealth();
    private final StoreQueue queue;

    /** Begins to connect. */
    MetaServer(
            MemcachedSettings.Server address,
            List<EventLoop> loops,
            Class<? extends SocketChannel> transport,
            int maxValueBytes,
            long timeoutNanos,
            StoreQueue queue) {
        this.address = address;
        this.queue = queue;
        this.connections =
                loops.stream()
                        .map(loop ->
                                new MetaConnection(
                                        loop,
                                        address,
                                        transport,
                                        maxValueBytes,
                                        timeoutNanos,
                                        new Watch(loop)))
                        .toList();
        connections.forEach(connection -> byLoop.put(connection.loop(), connection));
        connections.forEach(connection -> connection.loop().execute(connection::connect));
    }

    boolean isUsable() {
        return connected.get() > 0 && circuit.state() == StoreCircuit.State.CLOSED;
    }

    /** 0 if it is used, 1 if one command tries whether it works, 2 if it does not. */
    int state() {
        return (connected.get() > 0 ? circuit.state() : StoreCircuit.State.OPEN).number();
    }

    Optional<String> failure() {
        return health.failure();
    }

    int connections() {
        return connected.get();
    }

    /** The calls that wait for this server. */
    StoreQueue queue() {
        return queue;
    }

    /** A record was written. */
    void writes() {
        health.writes();
    }

    /** The connection of {@code loop}, or else one that is connected, if there is one. */
    MetaConnection connection(EventLoop loop) {
        var own = byLoop.get(loop);
        return own == null ? any() : own;
    }

    /** The connection of this thread, or else one that is connected, if there is one. */
    MetaConnection any() {
        for (var connection : connections) {
            if (connection.loop().inEventLoop() && connection.isConnected()) {
                return connection;
            }
        }
        return any(next.getAndIncrement());
    }

    /** The connection with the number {@code first}, or else one that is connected. */
    MetaConnection any(int first) {
        for (int i = 0; i < connections.size(); i++) {
            var connection = connections.get(Math.floorMod(first + i, connections.size()));
            if (connection.isConnected()) {
                return connection;
            }
        }
        return connections.get(Math.floorMod(first, connections.size()));
    }

    void close() {
        connections.forEach(connection -> connection.loop().execute(connection::close));
    }

    /** Notes what one connection tells about the server. On its loop. */
    private final class Watch implements MetaConnection.Listener {
        private final EventLoop loop;

        /** Whether the connection was made and has no reply yet. */
        private boolean isNew;

        Watch(EventLoop loop) {
            this.loop = loop;
        }

        @Override
        public void connected() {
            connected.incrementAndGet();
            isNew = true;
        }

        @Override
        public void disconnected(boolean wasConnected, String why) {
            if (wasConnected) {
                connected.decrementAndGet();
            }
            health.fails(
                    fault(
                            "",
                            "no connection to the store at " + address + ": " + why,
                            "memcached 1.6 at the addresses of shared.servers",
                            true));
        }

        @Override
        public void answered(MetaAnswer answer) {
            boolean hasFailed = answer instanceof MetaAnswer.None;
            if (answer instanceof MetaAnswer.None(var reason, var detail)
                    && reason == Reason.ERROR) {
                // It is full, or a value is too long for it: it can still be asked.
                boolean isOutage = !detail.startsWith("SERVER_ERROR");
                hasFailed = isOutage;
                health.fails(
                        fault(
                                detail,
                                "the store at " + address + " has answered: " + detail,
                                isOutage
                                        ? "memcached 1.6"
                                        : "enough memory, and items (-I) of shared.max-object",
                                isOutage));
            }
            if (isNew && !(answer instanceof MetaAnswer.None)) {
                isNew = false;
                if (circuit.state() == StoreCircuit.State.CLOSED) {
                    health.answers();
                }
            }
            if (circuit.ended(hasFailed, System.nanoTime())) {
                health.fails(StoreFault.ofSlowness());
                tryLater();
            }
        }

        private static StoreFault fault(
                String kind, String what, String expected, boolean isOutage) {
            return new StoreFault(kind, what, expected, isOutage);
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
            connection
                    .loop()
                    .execute(() -> connection.send(MetaRequest.noop(), this::tried, () -> {}));
        }

        private void tried(MetaAnswer answer) {
            boolean hasFailed = answer instanceof MetaAnswer.None;
            answer.release();
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
}
