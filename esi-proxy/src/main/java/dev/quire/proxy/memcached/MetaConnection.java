package dev.quire.proxy.memcached;

import dev.quire.proxy.cache.SharedRecords.Reason;
import dev.quire.proxy.exchange.Connects;
import dev.quire.proxy.exchange.PlainWords;
import dev.quire.proxy.store.Deadlines;
import dev.quire.proxy.store.ServerConnection;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.flush.FlushConsolidationHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A connection to one server, on one event loop. */
final class MetaConnection extends ServerConnection {

    /*
     * Replies come in the order of the commands. A call whose deadline has passed is answered
     * without them, and keeps its place: its replies are dropped when they come.
     */

    private static final int CONNECT_MILLIS = 1_000;
    private static final int UNACKNOWLEDGED_MILLIS = 5_000;
    private static final int COMMANDS = 256;

    private final MemcachedSettings.Server server;
    private final Class<? extends SocketChannel> transport;
    private final int maxValueBytes;
    private final long timeoutNanos;

    /** The calls without all their replies, in the order in which these come. */
    private final ArrayDeque<Call> calls = new ArrayDeque<>();

    private volatile @Nullable Channel connection;
    private String why = "closed by the server";

    /**
     * @param transport of the loop
     */
    MetaConnection(
            EventLoop loop,
            MemcachedSettings.Server server,
            Class<? extends SocketChannel> transport,
            MemcachedSettings settings,
            Listener listener) {
        super(loop, settings.records(), listener);
        this.server = server;
        this.transport = transport;
        this.maxValueBytes = settings.records().valueBytes();
        this.timeoutNanos = settings.limits().timeout().toNanos();
    }

    @Override
    public boolean isConnected() {
        return connection != null;
    }

    @Override
    protected void open() {
        // The resolver of the system waits.
        Thread.ofVirtual()
                .start(() -> {
                    InetAddress address;
                    String fault;
                    try {
                        address = InetAddress.getByName(server.host());
                        fault = "";
                    } catch (UnknownHostException | RuntimeException | Error e) {
                        address = null;
                        fault = PlainWords.of(e);
                    }
                    var found = address;
                    var reason = fault;
                    try {
                        loop().execute(() -> {
                            if (found == null) {
                                lost(false, reason);
                            } else {
                                guarded(() -> open(found));
                            }
                        });
                    } catch (RejectedExecutionException ended) {
                        // The loop has ended.
                    }
                });
    }

    private void open(InetAddress address) {
        if (isClosed()) {
            return;
        }
        var bootstrap =
                new Bootstrap()
                        .group(loop())
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
        Connects.whenEnded(made, loop(), () -> ended(made));
    }

    private void ended(ChannelFuture connect) {
        if (!connect.isSuccess()) {
            lost(false, PlainWords.of(connect.cause()));
        } else if (isClosed()) {
            connect.channel().close();
        } else if (connect.channel().isActive()) {
            connection = connect.channel();
            why = "closed by the server";
            opened();
        } else {
            lost(false, "closed by the server");
        }
    }

    @Override
    protected void reset() {
        close("it does not answer");
    }

    private void close(String reason) {
        var present = connection;
        if (present != null) {
            why = reason;
            present.close();
        }
    }

    @Override
    protected void close() {
        super.close();
        close("the proxy ends");
    }

    /**
     * Sends {@code request}.
     *
     * @param then receives the answer once, not within this call; soon after the deadline a failure
     * @param ended is run once the request and its answer use no memory any longer
     */
    void send(MetaRequest request, Consumer<MetaAnswer> then, Runnable ended) {
        var present = connection;
        if (present == null) {
            loop().execute(() -> {
                then.accept(new MetaAnswer.None(Reason.CLOSED, "not connected"));
                ended.run();
            });
            return;
        }
        var call = new Call(request, System.nanoTime() + timeoutNanos, then, ended);
        calls.addLast(call);
        deadlines().add(call);
        try {
            request.sendTo(present);
        } catch (RuntimeException | Error fault) {
            // A part of it may have been sent.
            close(PlainWords.of(fault));
        }
    }

    /** A request that waits for its replies. */
    private final class Call implements Deadlines.Call {
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

        @Override
        public long deadline() {
            return deadline;
        }

        @Override
        public boolean isAnswered() {
            return isAnswered;
        }

        @Override
        public void expire() {
            answer(new MetaAnswer.None(Reason.TIMEOUT, "no reply in time"));
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
            switch (given) {
                case MetaAnswer.Replies all -> listener().answered();
                case MetaAnswer.None(var reason, var detail) -> listener().failed(reason, detail);
            }
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
            if (present != null) {
                lost(true, why);
            }
        }
    }
}
