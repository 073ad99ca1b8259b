package dev.quire.proxy.memcached;

import dev.quire.proxy.cache.SharedRecords.Reason;
import dev.quire.proxy.exchange.PlainWords;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one event loop to one server. It connects again whenever it is closed. Confined
 * to that loop, except where noted.
 */
final class MetaConnection {

    /*
     * Replies come in the order of the commands. A call whose deadline has passed is answered
     * without them, and keeps its place: its replies are dropped when they come.
     */

    /** Receives what concerns the server. Called on the loop. */
    interface Listener {
        void connected();

        /** Also called if connecting fails. */
        void disconnected(boolean wasConnected, String why);

        /** A call has its answer, or none in time. */
        void answered(MetaAnswer answer);
    }

    private static final int CONNECT_MILLIS = 1_000;
    private static final int UNACKNOWLEDGED_MILLIS = 5_000;
    private static final long LEAST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    /** A connection that has lasted less is made again after a longer pause than the last. */
    private static final long LASTING_NANOS = LONGEST_PAUSE_MILLIS * 1_000_000;

    private static final int COMMANDS = 256;

    private final EventLoop loop;
    private final MemcachedSettings.Server server;
    private final Class<? extends SocketChannel> transport;
    private final int maxValueBytes;
    private final long timeoutNanos;
    private final Listener listener;

    /** The calls without all their replies, in the order in which these come. */
    private final ArrayDeque<Call> calls = new ArrayDeque<>();

    /** Of them, those whose deadline may pass. */
    private final ArrayDeque<Call> timed = new ArrayDeque<>();

    private @Nullable ScheduledFuture<?> timer;
    private volatile @Nullable Channel connection;
    private long pauseMillis = LEAST_PAUSE_MILLIS;
    private long connectedAt;
    private String why = "closed by the server";
    private boolean isClosed;

    /**
     * @param transport of the loop
     * @param maxValueBytes of the longest value
     */
    MetaConnection(
            EventLoop loop,
            MemcachedSettings.Server server,
            Class<? extends SocketChannel> transport,
            int maxValueBytes,
            long timeoutNanos,
            Listener listener) {
        this.loop = loop;
        this.server = server;
        this.transport = transport;
        this.maxValueBytes = maxValueBytes;
        this.timeoutNanos = timeoutNanos;
        this.listener = listener;
    }

    /** Thread-safe. */
    EventLoop loop() {
        return loop;
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
        // The resolver of the system waits.
        Thread.ofVirtual()
                .start(() -> {
                    InetAddress address;
                    String fault;
                    try {
                        address = InetAddress.getByName(server.host());
                        fault = "";
                    } catch (UnknownHostException e) {
                        address = null;
                        fault = PlainWords.of(e);
                    }
                    var found = address;
                    var reason = fault;
                    try {
                        loop.execute(() -> {
                            if (found == null) {
                                again(false, reason);
                            } else {
                                open(found);
                            }
                        });
                    } catch (RejectedExecutionException ended) {
                        // The loop has ended.
                    }
                });
    }

    private void open(InetAddress address) {
        if (isClosed) {
            return;
        }
        var bootstrap =
                new Bootstrap()
                        .group(loop)
                        .channel(transport)
                        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                        .option(ChannelOption.TCP_NODELAY, true)
                        .option(ChannelOption.SO_KEEPALIVE, true)
                        .handler(
                                new ChannelInitializer<SocketChannel>() {
                                    @Override
                                    protected void initChannel(SocketChannel channel) {
                                        channel.pipeline()
                                                .addLast(
                                                        new FlushConsolidationHandler(
                                                                COMMANDS, true),
                                                        new MetaDecoder(maxValueBytes),
                                                        new Replies());
                                    }
                                });
        if (EpollSocketChannel.class.isAssignableFrom(transport)) {
            bootstrap.option(EpollChannelOption.TCP_USER_TIMEOUT, UNACKNOWLEDGED_MILLIS);
        }
        var made = bootstrap.connect(new InetSocketAddress(address, server.port()));
        made.addListener(done -> {
            if (!done.isSuccess()) {
                again(false, PlainWords.of(done.cause()));
            } else if (isClosed) {
                made.channel().close();
            } else if (made.channel().isActive()) {
                connection = made.channel();
                connectedAt = System.nanoTime();
                why = "closed by the server";
                listener.connected();
            } else {
                again(false, "closed by the server");
            }
        });
    }

    private void again(boolean wasConnected, String reason) {
        listener.disconnected(wasConnected, reason);
        if (isClosed) {
            return;
        }
        if (wasConnected && System.nanoTime() - connectedAt > LASTING_NANOS) {
            pauseMillis = LEAST_PAUSE_MILLIS;
        }
        long pause = pauseMillis / 2 + ThreadLocalRandom.current().nextLong(pauseMillis / 2 + 1);
        pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
        loop.schedule(this::connect, pause, TimeUnit.MILLISECONDS);
    }

    /** Closes the connection, and connects again. */
    void reset() {
        close("it does not answer");
    }

    private void close(String reason) {
        var present = connection;
        if (present != null) {
            why = reason;
            present.close();
        }
    }

    /** Closes the connection, and makes no other. */
    void close() {
        isClosed = true;
        close("the proxy ends");
    }

    /**
     * Sends {@code request}.
     *
     * @param then receives the answer once, not within this call, at the deadline at the latest
     * @param ended is run once the request and its answer use no memory any longer
     */
    void send(MetaRequest request, Consumer<MetaAnswer> then, Runnable ended) {
        var present = connection;
        if (present == null) {
            loop.execute(() -> {
                then.accept(new MetaAnswer.None(Reason.CLOSED, "not connected"));
                ended.run();
            });
            return;
        }
        var call = new Call(request, System.nanoTime() + timeoutNanos, then, ended);
        calls.addLast(call);
        timed.addLast(call);
        if (timer == null) {
            waitUntil(call.deadline);
        }
        try {
            request.sendTo(present);
        } catch (RuntimeException | OutOfMemoryError fault) {
            // A part of it may have been sent.
            close(PlainWords.of(fault));
        }
    }

    private void waitUntil(long deadline) {
        long nanos = Math.max(0, deadline - System.nanoTime());
        timer = loop.schedule(this::expire, nanos, TimeUnit.NANOSECONDS);
    }

    /** Answers the calls whose deadline has passed. One timer serves all calls. */
    private void expire() {
        timer = null;
        long now = System.nanoTime();
        for (var call = timed.peek(); call != null; call = timed.peek()) {
            if (!call.isAnswered && call.deadline - now > 0) {
                waitUntil(call.deadline);
                return;
            }
            timed.poll();
            if (!call.isAnswered) {
                call.answer(new MetaAnswer.None(Reason.TIMEOUT, "no reply in time"));
            }
        }
    }

    /** A request that waits for its replies. */
    private final class Call {
        private final MetaRequest request;
        private final long deadline;
        private final Consumer<MetaAnswer> then;
        private final Runnable ended;
        private final List<MetaReply> replies = new ArrayList<>();
        private int received;
        private boolean isAnswered;

        Call(MetaRequest request, long deadline, Consumer<MetaAnswer> then, Runnable ended) {
            this.request = request;
            this.deadline = deadline;
            this.then = then;
            this.ended = ended;
        }

        /** Whether {@code reply} may be the next one. */
        boolean expects(MetaReply reply) {
            return (reply.mark() == MetaReply.ANY || reply.mark() == request.mark())
                    && (reply.value() == null || request.mayHaveValue(received));
        }

        boolean isLast() {
            return received + 1 == request.replies();
        }

        void received(MetaReply reply) {
            received++;
            if (isAnswered) {
                reply.release();
            } else {
                replies.add(reply);
            }
            if (received == request.replies()) {
                end(new MetaAnswer.Replies(List.copyOf(replies)));
            }
        }

        void end(MetaAnswer answer) {
            try {
                if (!isAnswered) {
                    answer(answer);
                }
            } finally {
                ended.run();
            }
        }

        private void answer(MetaAnswer answer) {
            isAnswered = true;
            var given = answer;
            var error = replies.stream().filter(MetaReply::isError).findFirst().orElse(null);
            if (error != null) {
                given = new MetaAnswer.None(Reason.ERROR, error.text());
            }
            if (!(given instanceof MetaAnswer.Replies)) {
                replies.forEach(MetaReply::release);
            }
            replies.clear();
            listener.answered(given);
            then.accept(given);
        }
    }

    /** Receives the replies of one connection. */
    private final class Replies extends ChannelInboundHandlerAdapter {
        private boolean isBroken;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            var reply = (MetaReply) message;
            var call = calls.peek();
            if (isBroken) {
                reply.release();
                return;
            }
            if (call == null || !call.expects(reply)) {
                reply.release();
                exceptionCaught(ctx, new IllegalStateException("a reply to no command"));
                return;
            }
            boolean isLost = reply.kind() == MetaReply.Kind.ERROR;
            var text = reply.text();
            // Before it is told: then it may send the next one.
            if (call.isLast()) {
                calls.poll();
            }
            call.received(reply);
            if (isLost) {
                exceptionCaught(ctx, new IllegalStateException(text));
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable fault) {
            var cause = fault.getCause() == null ? fault : fault.getCause();
            why = PlainWords.of(cause);
            isBroken = true;
            ctx.close();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            var present = connection;
            connection = null;
            for (var call = calls.poll(); call != null; call = calls.poll()) {
                call.end(new MetaAnswer.None(Reason.CLOSED, why));
            }
            timed.clear();
            if (present != null) {
                again(true, why);
            }
        }
    }
}
