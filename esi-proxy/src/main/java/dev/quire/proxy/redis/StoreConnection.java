package dev.quire.proxy.redis;

import dev.quire.proxy.cache.SharedRecords.Reason;
import dev.quire.proxy.store.RecordSeal;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.RedisCodec;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one event loop to the store. It connects again whenever it is closed. Confined
 * to that loop, except where noted.
 */
final class StoreConnection {

    /** Receives what concerns the whole store. Called on the loop. */
    interface Listener {
        void connected();

        /** Also called if connecting fails. */
        void disconnected(boolean wasConnected, String why);

        /** A call has its reply, or none in time. */
        void answered(StoreReply reply);
    }

    private static final RedisCodec<byte[], StoredValue> CODEC = new StoreCodec();
    private static final String CLOSED = "the connection was closed";
    private static final long LEAST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    /** A connection that has lasted less is made again after a longer pause than the last. */
    private static final long LASTING_NANOS = LONGEST_PAUSE_MILLIS * 1_000_000;

    private final EventLoop loop;
    private final StoreClient client;
    private final long timeoutNanos;
    private final Listener listener;

    /** The calls whose deadline may pass, in its order. */
    private final ArrayDeque<StoreCall> calls = new ArrayDeque<>();

    private final RecordSeal seal;
    private @Nullable ScheduledFuture<?> timer;
    private volatile @Nullable StatefulConnection<byte[], StoredValue> connection;
    private long pauseMillis = LEAST_PAUSE_MILLIS;
    private long connectedAt;
    private boolean isClosed;

    StoreConnection(
            EventLoop loop,
            StoreClient client,
            RecordSeal seal,
            long timeoutNanos,
            Listener listener) {
        this.loop = loop;
        this.client = client;
        this.seal = seal;
        this.timeoutNanos = timeoutNanos;
        this.listener = listener;
    }

    /** Thread-safe. */
    EventLoop loop() {
        return loop;
    }

    RecordSeal seal() {
        return seal;
    }

    /** Thread-safe. */
    boolean isConnected() {
        return connection != null;
    }

    /** Connects in the background, until that succeeds. */
    void connect() {
        if (isClosed) {
            return;
        }
        client.connect(CODEC)
                .whenComplete((made, fault) ->
                        loop.execute(() -> {
                            if (made != null) {
                                use(made);
                            } else {
                                again(false, RootCause.text(fault));
                            }
                        }));
    }

    private void use(StatefulConnection<byte[], StoredValue> made) {
        if (isClosed) {
            made.closeAsync();
            return;
        }
        made.addListener(
                new RedisConnectionStateListener() {
                    @Override
                    public void onRedisDisconnected(RedisChannelHandler<?, ?> closed) {
                        loop.execute(() -> lost(made));
                    }
                });
        if (!made.isOpen()) {
            again(false, CLOSED);
            return;
        }
        connection = made;
        connectedAt = System.nanoTime();
        listener.connected();
    }

    private void lost(StatefulConnection<byte[], StoredValue> lost) {
        if (lost.equals(connection)) {
            connection = null;
            lost.closeAsync();
            again(true, CLOSED);
        }
    }

    private void again(boolean wasConnected, String why) {
        listener.disconnected(wasConnected, why);
        if (wasConnected && System.nanoTime() - connectedAt > LASTING_NANOS) {
            pauseMillis = LEAST_PAUSE_MILLIS;
        }
        long pause = pauseMillis / 2 + ThreadLocalRandom.current().nextLong(pauseMillis / 2 + 1);
        pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
        loop.schedule(this::connect, pause, TimeUnit.MILLISECONDS);
    }

    /** Closes the connection, and connects again. */
    void reset() {
        var present = connection;
        if (present != null) {
            lost(present);
        }
    }

    /** Gives up the connection, which the client closes, and makes no other. */
    void close() {
        isClosed = true;
        connection = null;
    }

    /**
     * Sends {@code request}.
     *
     * @param then receives the reply once, not within this call, at the deadline at the latest
     * @param ended is run once the request and its reply use no memory any longer
     */
    void send(StoreRequest request, Consumer<StoreReply> then, Runnable ended) {
        send(request, System.nanoTime() + timeoutNanos, false, then, ended);
    }

    /**
     * @param isFirst whether its deadline is before those of all calls without a reply
     */
    private void send(
            StoreRequest request,
            long deadline,
            boolean isFirst,
            Consumer<StoreReply> then,
            Runnable ended) {
        var present = connection;
        if (present == null) {
            loop.execute(() -> {
                then.accept(new StoreReply.Failure(Reason.CLOSED, "not connected"));
                ended.run();
            });
            return;
        }
        var reply = new ReplyOutput(CODEC, ByteBufAllocator.DEFAULT);
        var observer = new Waiting(request, deadline, then, ended);
        var call =
                new StoreCall(request, CODEC, reply, loop, deadline, observer::receive, observer);
        if (isFirst) {
            calls.addFirst(call);
        } else {
            calls.addLast(call);
        }
        if (timer == null) {
            waitUntil(deadline);
        }
        try {
            present.dispatch(call);
        } catch (RuntimeException refused) {
            call.completeExceptionally(refused);
        }
        call.sent();
    }

    /** One call, which is sent again if the server does not know its script. */
    private final class Waiting implements StoreCall.Observer {
        private final StoreRequest request;
        private final long deadline;
        private final Consumer<StoreReply> then;
        private final Runnable whenEnded;
        private @Nullable StoreRequest again;

        Waiting(
                StoreRequest request,
                long deadline,
                Consumer<StoreReply> then,
                Runnable whenEnded) {
            this.request = request;
            this.deadline = deadline;
            this.then = then;
            this.whenEnded = whenEnded;
        }

        @Override
        public void answered(StoreReply reply) {
            if (reply instanceof StoreReply.Failure failure
                    && failure.detail().startsWith("NOSCRIPT")) {
                again = request.withText();
            }
            if (again == null) {
                listener.answered(reply);
            }
            if (reply instanceof StoreReply.Failure failure) {
                follow(failure);
            }
        }

        /** Another server may be the primary one now. */
        private void follow(StoreReply.Failure failure) {
            if (failure.detail().startsWith("READONLY")) {
                reset();
            } else if (failure.reason() == Reason.CLOSED) {
                client.refresh();
            }
        }

        void receive(StoreReply reply) {
            if (again == null) {
                then.accept(reply);
            } else {
                // Replies are in order: all calls without one are later.
                send(again, deadline, true, then, whenEnded);
            }
        }

        @Override
        public void ended() {
            if (again == null) {
                whenEnded.run();
            }
        }
    }

    private void waitUntil(long deadline) {
        long nanos = Math.max(0, deadline - System.nanoTime());
        timer = loop.schedule(this::expire, nanos, TimeUnit.NANOSECONDS);
    }

    /** Ends the calls whose deadline has passed. One timer serves all calls. */
    private void expire() {
        timer = null;
        long now = System.nanoTime();
        for (var call = calls.peek(); call != null; call = calls.peek()) {
            if (!call.isAnswered() && call.deadline() - now > 0) {
                waitUntil(call.deadline());
                return;
            }
            calls.poll();
            if (!call.isAnswered()) {
                call.expire();
            }
        }
    }
}
