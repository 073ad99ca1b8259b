package dev.quire.proxy.fetch;

import dev.quire.core.http.DurationText;
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
import java.time.Duration;
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
        void bug(RuntimeException bug);
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
    private @Nullable ScheduledFuture<?> timer;
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
            end();
            target.permits().release();
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
        } catch (RuntimeException bug) {
            abandon();
            outcome.bug(bug);
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
                                                new OriginConnection(target.origin(), opened, pool);
                                    }
                                });
        var connected = bootstrap.connect(address);
        channel = connected.channel();
        var share = untried.isEmpty() ? null : closeAfterShare(connected.channel());
        connected.addListener(done -> {
            if (share != null) {
                share.cancel(false);
            }
            guarded(() -> connectEnded(address, connected));
        });
    }

    // An address that drops packets must leave time for the addresses after it.
    private ScheduledFuture<?> closeAfterShare(Channel trying) {
        long left = Math.max(0, endPoint - loop.ticker().nanoTime());
        return loop.schedule(
                () -> {
                    trying.close();
                },
                left / (untried.size() + 1),
                TimeUnit.NANOSECONDS);
    }

    private void connectEnded(SocketAddress address, ChannelFuture connect) {
        if (ended) {
            connect.channel().close();
        } else if (connect.isSuccess() && connection != null) {
            var made = connection;
            if (tls == null) {
                established(address, connect.channel(), made);
            } else {
                tls.handshakeFuture()
                        .addListener(done ->
                                guarded(() -> handshakeEnded(address, connect, made, done)));
            }
        } else {
            connect.channel().close();
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
        if (ended) {
            connect.channel().close();
        } else if (done.isSuccess()) {
            target.handshakes().succeeded();
            established(address, connect.channel(), made);
        } else {
            connect.channel().close();
            target.addresses().failed(address, loop.ticker().nanoTime());
            lastFault =
                    "TLS handshake with "
                            + target.sockets().url().url()
                            + " failed: "
                            + HandshakeFault.words(done.cause());
            target.handshakes().failed(lastFault);
            tryNext();
        }
    }

    private void timedOut() {
        Duration limit = target.origin().deadlines().connect();
        fail(
                "no connection to "
                        + target.sockets().url().url()
                        + " within "
                        + DurationText.of(limit));
    }

    private void fail(String detail) {
        end();
        target.permits().release();
        outcome.unreachable(detail);
    }

    private void end() {
        ended = true;
        if (timer != null) {
            timer.cancel(false);
        }
        if (channel != null) {
            channel.close();
        }
    }
}
