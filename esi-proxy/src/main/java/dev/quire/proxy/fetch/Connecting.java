package dev.quire.proxy.fetch;

import dev.quire.core.http.DurationText;
import dev.quire.proxy.exchange.Connects;
import dev.quire.proxy.exchange.PlainWords;
import dev.quire.proxy.route.OriginSettings;
import dev.quire.proxy.tls.HandshakeFault;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Opens one connection: finds the server's addresses and tries them in order until one accepts. The
 * connect timeout covers all attempts. Confined to its loop. Owns a permit and releases it when the
 * attempt fails or is abandoned, or when the connection closes.
 */
final class Connecting implements Addresses.Answer {

    /** Receives the outcome, once; not called after {@link #abandon}. */
    interface Outcome {
        /** A new, unused connection; the receiver uses or closes it. */
        void connected(OriginConnection connection);

        /** No connection could be opened; {@code detail} is the reason, for the log. */
        void unreachable(String detail);

        /** An internal error; there is no connection. */
        void bug(Throwable bug);
    }

    /** The fixed parameters of all connections to one server. */
    record Target(
            OriginSettings origin, ServerSockets sockets, TlsOutcomes handshakes, Permits permits) {

        Addresses addresses() {
            return sockets.addresses();
        }
    }

    private final Target target;
    private final EventLoop loop;
    private final IdleConnections pool;
    private final Outcome outcome;
    private final Queue<SocketAddress> untried = new ArrayDeque<>();
    private boolean ended;
    private long endPoint;
    private String lastFault = "no address";
    private boolean isShareOver;
    private @Nullable ScheduledFuture<?> timer;

    /** Ends the attempt with one of several addresses. */
    private @Nullable ScheduledFuture<?> share;

    private @Nullable SocketAddress trying;
    private @Nullable Channel channel;
    private @Nullable OriginConnection connection;

    /** Of the channel; null without TLS. */
    private @Nullable SslHandler tls;

    Connecting(Target target, EventLoop loop, IdleConnections pool, Outcome outcome) {
        this.target = target;
        this.loop = loop;
        this.pool = pool;
        this.outcome = outcome;
    }

    /** Starts connecting; the caller holds a permit, which passes to this. */
    void start() {
        var limit = target.origin().deadlines().connect();
        endPoint = loop.ticker().nanoTime() + limit.toNanos();
        timer = loop.schedule(() -> guarded(this::timedOut), limit.toNanos(), TimeUnit.NANOSECONDS);
        target.addresses().find(loop, this);
    }

    /** The connection is no longer wanted. */
    void abandon() {
        if (!ended) {
            endWithoutConnection();
        }
    }

    @Override
    public void found(List<SocketAddress> addresses) {
        guarded(() -> {
            if (!ended) {
                untried.addAll(addresses);
                tryNext();
            }
        });
    }

    @Override
    public void notFound(String detail) {
        guarded(() -> {
            if (!ended) {
                fail(detail);
            }
        });
    }

    /** Runs a step that is called directly by the loop, so that a bug in it is reported. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error bug) {
            try {
                abandon();
            } finally {
                outcome.bug(bug);
            }
        }
    }

    private void tryNext() {
        var address = untried.poll();
        if (address == null) {
            fail(lastFault);
            return;
        }
        var bootstrap =
                new Bootstrap()
                        .group(loop)
                        .channelFactory(target.sockets().channels())
                        .disableResolver()
                        // A failed write must not close the channel: the origin may have answered
                        // before it stopped reading, and that response still has to be read.
                        .option(ChannelOption.AUTO_CLOSE, false)
                        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0)
                        .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                        .handler(
                                new ChannelInitializer<>() {
                                    @Override
                                    protected void initChannel(Channel opened) {
                                        tls = target.sockets().secure(opened);
                                        connection =
                                                new OriginConnection(
                                                        target.origin(),
                                                        opened,
                                                        pool,
                                                        Connecting.this::refused);
                                    }
                                });
        var connected = bootstrap.connect(address);
        channel = connected.channel();
        trying = address;
        isShareOver = false;
        share = untried.isEmpty() ? null : closeAfterShare(connected.channel());
        Connects.whenEnded(connected, loop, () -> guarded(() -> connectEnded(address, connected)));
    }

    // An address that drops packets must leave time for the addresses after it.
    private ScheduledFuture<?> closeAfterShare(Channel opened) {
        long left = Math.max(0, endPoint - loop.ticker().nanoTime());
        return loop.schedule(
                () -> {
                    isShareOver = true;
                    Connects.close(opened);
                },
                left / (untried.size() + 1),
                TimeUnit.NANOSECONDS);
    }

    private void connectEnded(SocketAddress address, ChannelFuture connect) {
        if (ended) {
            Connects.close(connect.channel());
        } else if (connect.isSuccess() && connection != null) {
            var made = connection;
            if (tls == null) {
                endShare();
                established(address, connect.channel(), made);
            } else {
                tls.handshakeFuture()
                        .addListener(done ->
                                guarded(() -> handshakeEnded(address, connect, made, done)));
            }
        } else {
            endShare();
            Connects.close(connect.channel());
            target.addresses().failed(address, loop.ticker().nanoTime());
            var cause = connect.cause();
            lastFault =
                    "cannot connect to "
                            + PlainWords.of(address)
                            + ": "
                            + (cause == null ? "channel setup failed" : PlainWords.of(cause));
            tryNext();
        }
    }

    private void established(SocketAddress address, Channel opened, OriginConnection made) {
        target.addresses().worked(address);
        channel = null;
        end();
        opened.closeFuture().addListener(closed -> made.releasePermit());
        outcome.connected(made);
    }

    private void handshakeEnded(
            SocketAddress address, ChannelFuture connect, OriginConnection made, Future<?> done) {
        endShare();
        if (ended) {
            Connects.close(connect.channel());
        } else if (done.isSuccess()) {
            target.handshakes().succeeded();
            established(address, connect.channel(), made);
        } else {
            Connects.close(connect.channel());
            handshakeFailed(
                    address,
                    isShareOver
                            ? "is not complete in its part of the connect timeout"
                            : "failed: " + HandshakeFault.words(done.cause()));
            tryNext();
        }
    }

    private void handshakeFailed(SocketAddress address, String how) {
        target.addresses().failed(address, loop.ticker().nanoTime());
        lastFault = handshake(how);
        target.handshakes().failed(lastFault);
    }

    private void refused(String why) {
        target.handshakes().failed(handshake("failed: " + why));
    }

    private String handshake(String how) {
        return "TLS handshake with " + target.sockets().url().url() + " " + how;
    }

    private void timedOut() {
        var limit = DurationText.of(target.origin().deadlines().connect());
        if (tls != null && trying != null && channel != null && channel.isActive()) {
            handshakeFailed(trying, "is not complete within " + limit);
            fail(lastFault);
        } else {
            fail("no connection to " + target.sockets().url().url() + " within " + limit);
        }
    }

    private void endShare() {
        if (share != null) {
            share.cancel(false);
            share = null;
        }
    }

    private void fail(String detail) {
        endWithoutConnection();
        outcome.unreachable(detail);
    }

    private void endWithoutConnection() {
        try {
            end();
        } finally {
            target.permits().release();
        }
    }

    private void end() {
        ended = true;
        if (timer != null) {
            timer.cancel(false);
        }
        endShare();
        if (channel != null) {
            Connects.close(channel);
        }
    }
}
