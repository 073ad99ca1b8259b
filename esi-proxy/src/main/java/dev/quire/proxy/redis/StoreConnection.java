package dev.quire.proxy.redis;

import dev.quire.proxy.cache.SharedRecords.Reason;
import dev.quire.proxy.store.ServerConnection;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.RedisCodec;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A connection to the store, on one event loop. */
final class StoreConnection extends ServerConnection {
    private static final RedisCodec<byte[], StoredValue> CODEC = new StoreCodec();
    private static final String CLOSED = "the connection was closed";

    private final StoreClient client;
    private final long timeoutNanos;
    private volatile @Nullable StatefulConnection<byte[], StoredValue> connection;

    StoreConnection(EventLoop loop, StoreClient client, RedisSettings settings, Listener listener) {
        super(loop, settings.records(), listener);
        this.client = client;
        this.timeoutNanos = settings.limits().timeout().toNanos();
    }

    StoreClient client() {
        return client;
    }

    @Override
    public boolean isConnected() {
        return connection != null;
    }

    @Override
    protected void open() {
        client.connect(CODEC)
                .whenComplete((made, fault) ->
                        loop().execute(() -> {
                            if (made != null) {
                                guarded(() -> use(made));
                            } else {
                                lost(false, RootCause.text(fault));
                            }
                        }));
    }

    private void use(StatefulConnection<byte[], StoredValue> made) {
        boolean isUsable = false;
        try {
            made.addListener(
                    new RedisConnectionStateListener() {
                        @Override
                        public void onRedisDisconnected(RedisChannelHandler<?, ?> closed) {
                            loop().execute(() -> end(made));
                        }
                    });
            isUsable = made.isOpen() && !isClosed();
        } finally {
            if (!isUsable) {
                made.closeAsync();
            }
        }
        if (isUsable) {
            connection = made;
            opened();
        } else if (!isClosed()) {
            lost(false, CLOSED);
        }
    }

    private void end(StatefulConnection<byte[], StoredValue> ended) {
        if (ended.equals(connection)) {
            connection = null;
            try {
                ended.closeAsync();
            } finally {
                lost(true, CLOSED);
            }
        }
    }

    @Override
    protected void reset() {
        var present = connection;
        if (present != null) {
            end(present);
        }
    }

    /** {@inheritDoc} The client closes the present one. */
    @Override
    protected void close() {
        super.close();
        connection = null;
    }

    /**
     * Sends {@code request}.
     *
     * @param then receives the reply once, not within this call; soon after the deadline a failure
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
            loop().execute(() -> {
                then.accept(new StoreReply.Failure(Reason.CLOSED, "not connected"));
                ended.run();
            });
            return;
        }
        var reply = new ReplyOutput(CODEC, ByteBufAllocator.DEFAULT);
        var observer = new Waiting(request, deadline, then, ended);
        var call =
                new StoreCall(request, CODEC, reply, loop(), deadline, observer::receive, observer);
        if (isFirst) {
            deadlines().addFirst(call);
        } else {
            deadlines().add(call);
        }
        try {
            present.dispatch(call);
        } catch (RuntimeException | Error refused) {
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
            if (reply instanceof StoreReply.Failure failure) {
                if (again == null) {
                    listener().failed(failure.reason(), failure.detail());
                }
                follow(failure);
            } else {
                listener().answered();
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
}
