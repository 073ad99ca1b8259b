package dev.quire.proxy.store;

import dev.quire.proxy.cache.SharedRecords.Answer;
import dev.quire.proxy.cache.SharedRecords.None;
import dev.quire.proxy.cache.SharedRecords.Reason;
import dev.quire.proxy.cache.SharedRecords.Value;
import io.netty.channel.EventLoop;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A store, or one server of several: the connections of the event loops, the circuit breaker, the
 * present fault and the calls that wait. Thread-safe.
 */
public final class StoreServer<C extends ServerConnection> {

    /*
     * A request is sent on the connection of its loop, and its answer comes there: no thread
     * changes, unless loops share connections. The circuit is open if too many calls fail, and then one call a second tries it. A
     * server that does not answer three of them in a row may be one that is stopped while its
     * machine still acknowledges; another one may have taken its place. So all connections are made
     * anew.
     */

    private static final long TRIAL_MILLIS = 1_000;
    private static final int TRIALS = 3;

    private final Protocol<C> protocol;
    private final StoreQueue queue;
    private final List<C> connections;
    private final IdentityHashMap<EventLoop, C> byLoop = new IdentityHashMap<>();
    private final AtomicInteger connected = new AtomicInteger();
    private final AtomicInteger failedTrials = new AtomicInteger();
    private final AtomicInteger next = new AtomicInteger();
    private final StoreCircuit circuit = new StoreCircuit(System.nanoTime());
    private final StoreHealth health = new StoreHealth();

    /** The differences between kinds of stores. */
    public interface Protocol<C> {
        C connection(EventLoop loop, ServerConnection.Listener listener);

        /** Whether a connection that is made has had a reply. */
        boolean hasHandshake();

        /**
         * Sends a small request on the loop of {@code connection}.
         *
         * @param ended receives whether it was answered
         */
        void tryOut(C connection, Consumer<Boolean> ended);

        /** Returns what it means that a connection was lost or not made. */
        StoreFault ofConnection(String why);

        /** Returns what an error that the server has answered means. */
        StoreFault ofError(String error);
    }

    /** Sends a request on the loop of a connection. */
    public interface Request<C> {
        /**
         * Sends it.
         *
         * @param ended is to be run once nothing of it uses memory any longer
         */
        void send(C connection, Runnable ended);
    }

    /** Sends a request that has an answer. */
    public interface Question<C> {
        void send(C connection, Consumer<Answer> then, Runnable ended);
    }

    /**
     * Begins to connect.
     *
     * @param loops owned by the caller, and to be shut down after this
     */
    public StoreServer(Collection<EventLoop> loops, Protocol<C> protocol, CallLimits limits) {
        this.protocol = protocol;
        this.queue = new StoreQueue(limits);
        var all = List.copyOf(loops);
        int number = limits.connections() == 0 ? all.size() : limits.connections();
        this.connections =
                all.stream()
                        .limit(number)
                        .map(loop -> protocol.connection(loop, new Watch(loop)))
                        .toList();
        for (int i = 0; i < all.size(); i++) {
            byLoop.put(all.get(i), connections.get(i % connections.size()));
        }
        connections.forEach(connection -> connection.loop().execute(connection::connect));
    }

    public boolean isUsable() {
        return connected.get() > 0 && circuit.state() == StoreCircuit.State.CLOSED;
    }

    /** 0 if it is used, 1 if one call tries whether it works, 2 if it does not. */
    public int state() {
        return (connected.get() > 0 ? circuit.state() : StoreCircuit.State.OPEN).number();
    }

    /** Why it does not work, or what failed last, until it works again; or nothing. */
    public Optional<String> failure() {
        return health.failure();
    }

    /** The number of connections that are open now. */
    public int connected() {
        return connected.get();
    }

    public List<C> connections() {
        return connections;
    }

    public StoreQueue queue() {
        return queue;
    }

    /** A record was written. */
    public void writes() {
        health.writes();
    }

    /** The connection that {@code loop} uses, or for others one that is connected, if any is. */
    public C connection(EventLoop loop) {
        var own = byLoop.get(loop);
        return own == null ? any(next.getAndIncrement()) : own;
    }

    /** The connection with the number {@code first}, or else one that is connected. */
    public C any(int first) {
        for (int i = 0; i < connections.size(); i++) {
            var connection = connections.get(Math.floorMod(first + i, connections.size()));
            if (connection.isConnected()) {
                return connection;
            }
        }
        return connections.get(Math.floorMod(first, connections.size()));
    }

    /** Sends {@code question}; {@code then} receives the answer on {@code loop}. */
    public void ask(EventLoop loop, Consumer<Answer> then, Question<C> question) {
        if (!isUsable()) {
            loop.execute(() -> then.accept(new None(Reason.CLOSED)));
            return;
        }
        if (!queue.isAdmitted()) {
            loop.execute(() -> then.accept(new None(Reason.FULL)));
            return;
        }
        var connection = connection(loop);
        Consumer<Answer> received =
                connection.loop().equals(loop) ? then : answer -> pass(answer, loop, then);
        if (connection.loop().inEventLoop()) {
            question.send(connection, received, queue::leave);
            return;
        }
        try {
            connection
                    .loop()
                    .execute(() -> {
                        try {
                            question.send(connection, received, queue::leave);
                        } catch (RuntimeException | Error bug) {
                            queue.leave();
                            received.accept(new None(Reason.ERROR));
                        }
                    });
        } catch (RejectedExecutionException closed) {
            queue.leave();
            pass(new None(Reason.CLOSED), loop, then);
        }
    }

    private static void pass(Answer answer, EventLoop loop, Consumer<Answer> then) {
        try {
            loop.execute(() -> then.accept(answer));
        } catch (RejectedExecutionException closed) {
            if (answer instanceof Value(var record)) {
                record.release();
            }
        }
    }

    /**
     * Sends {@code request} on {@code connection} later. Returns whether it is sent; if not, {@code
     * ended} was run.
     */
    public boolean tell(C connection, Request<C> request, Runnable ended) {
        if (!isUsable() || !queue.isAdmitted()) {
            ended.run();
            return false;
        }
        Runnable leaving =
                () -> {
                    ended.run();
                    queue.leave();
                };
        try {
            connection.loop().execute(() -> request.send(connection, leaving));
            return true;
        } catch (RejectedExecutionException closed) {
            leaving.run();
            return false;
        }
    }

    /** Makes all connections anew, without the answers that are on their way. */
    void reset() {
        connections.forEach(each -> each.loop().execute(each::reset));
    }

    /** Ends all connections, on their loops. */
    public void close() {
        connections.forEach(connection -> connection.loop().execute(connection::close));
    }

    /** Notes what one connection tells about the server. On its loop. */
    private final class Watch implements ServerConnection.Listener {
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
            if (protocol.hasHandshake()) {
                replied();
            }
        }

        private void replied() {
            if (isNew && circuit.state() == StoreCircuit.State.CLOSED) {
                health.answers();
            }
            isNew = false;
        }

        @Override
        public void disconnected(boolean wasConnected, String why) {
            if (wasConnected) {
                connected.decrementAndGet();
            }
            health.fails(protocol.ofConnection(why));
        }

        @Override
        public void answered() {
            replied();
            ended(false);
        }

        @Override
        public void failed(Reason reason, String detail) {
            // A single late answer is not worth a line in the log.
            if (reason != Reason.ERROR) {
                ended(true);
                return;
            }
            var fault = protocol.ofError(detail);
            health.fails(fault);
            replied();
            ended(fault.isOutage());
        }

        private void ended(boolean hasFailed) {
            if (circuit.ended(hasFailed, System.nanoTime())) {
                health.fails(StoreFault.ofSlowness());
                tryLater();
            }
        }

        private void tryLater() {
            loop.schedule(this::tryOne, TRIAL_MILLIS, TimeUnit.MILLISECONDS);
        }

        private void tryOne() {
            var connection = any(next.getAndIncrement());
            if (!connection.isConnected() || !circuit.tryOne()) {
                tryLater();
                return;
            }
            connection.loop().execute(() -> protocol.tryOut(connection, this::tried));
        }

        private void tried(boolean isAnswered) {
            circuit.tried(!isAnswered);
            if (isAnswered) {
                failedTrials.set(0);
                health.answers();
                return;
            }
            if (failedTrials.incrementAndGet() % TRIALS == 0) {
                reset();
            }
            tryLater();
        }
    }
}
