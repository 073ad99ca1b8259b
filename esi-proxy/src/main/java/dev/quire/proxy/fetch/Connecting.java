package dev.quire.proxy.fetch;

import dev.quire.proxy.route.Origin;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A permit on its way to becoming a connection: finds the server's addresses and tries them in
 * order until one accepts or the connect time-out is over, which covers all of it. Only on its
 * loop. Owns the permit and gives it back when it fails, is abandoned, or the connection closes.
 */
final class Connecting implements Addresses.Answer {

    /** Takes the outcome, once; nothing comes after {@link #abandon}. */
    interface Outcome {
        /** A connection that has carried nothing yet; the receiver uses or closes it. */
        void connected(OriginConnection connection);

        /** None; {@code detail} says why, for the log. */
        void unreachable(String detail);

        /** Our own fault; there is no connection. */
        void bug(RuntimeException bug);
    }

    /** What all connections to one server have in common. */
    record Target(
            Origin origin,
            Origin.Url url,
            ChannelFactory<? extends Channel> channels,
            Addresses addresses,
            Permits permits) {}

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

    Connecting(Target target, EventLoop loop, IdleConnections pool, Outcome outcome) {
        this.target = target;
        this.loop = loop;
        this.pool = pool;
        this.outcome = outcome;
    }

    /** Begins, with a permit. */
    void start() {
        var limit = target.origin().deadlines().connect();
        endPoint = loop.ticker().nanoTime() + limit.toNanos();
        timer = loop.schedule(() -> guarded(this::timedOut), limit.toNanos(), TimeUnit.NANOSECONDS);
        target.addresses().find(loop, this);
    }

    /** Nobody wants the connection any more. */
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

    /** Runs a step that nothing else stands above. */
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
                        .channelFactory(target.channels())
                        .disableResolver()
                        // A failed write must not close the channel: the origin may have answered
                        // before it stopped reading, and that answer is still to be read.
                        .option(ChannelOption.AUTO_CLOSE, false)
                        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0)
                        .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                        .handler(
                                new ChannelInitializer<>() {
                                    @Override
                                    protected void initChannel(Channel opened) {
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

    // An address that swallows everything must leave time for those behind it.
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
            target.addresses().worked(address);
            channel = null;
            end();
            connect.channel().closeFuture().addListener(closed -> target.permits().release());
            outcome.connected(made);
        } else {
            connect.channel().close();
            target.addresses().failed(address, loop.ticker().nanoTime());
            var cause = connect.cause();
            lastFault =
                    "cannot connect to "
                            + address
                            + ": "
                            + (cause == null ? "channel setup failed" : cause.getMessage());
            tryNext();
        }
    }

    private void timedOut() {
        Duration limit = target.origin().deadlines().connect();
        fail("no connection to " + target.url().url() + " within " + limit);
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
