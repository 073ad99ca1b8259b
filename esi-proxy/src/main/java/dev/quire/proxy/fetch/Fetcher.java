package dev.quire.proxy.fetch;

import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.ResponseSink;
import dev.quire.proxy.route.Origin;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.socket.SocketChannel;
import java.net.SocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to one origin. Connections belong to the loop that opened them and are kept there
 * for the next request; how many are open is limited over all loops.
 */
public final class Fetcher implements AutoCloseable {
    private final Origin origin;
    private final FetchEvents events;
    private final Permits permits;
    private final Connecting.Target target;
    private final ConcurrentMap<EventLoop, IdleConnections> pools = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * @param channels the kind of channel that the loops given to {@link #fetch} can drive
     */
    public Fetcher(Origin origin, Class<? extends SocketChannel> channels, FetchEvents events) {
        this(
                origin,
                new ReflectiveChannelFactory<>(channels),
                Addresses.of(origin.url().getHost(), origin.port()),
                events);
    }

    /** A fetcher whose origin is at {@code address}, whatever the kind of {@code channels}. */
    public static Fetcher at(
            SocketAddress address,
            Origin origin,
            ChannelFactory<? extends Channel> channels,
            FetchEvents events) {
        return new Fetcher(origin, channels, Addresses.only(address), events);
    }

    Fetcher(
            Origin origin,
            ChannelFactory<? extends Channel> channels,
            Addresses addresses,
            FetchEvents events) {
        this.origin = origin;
        this.events = events;
        this.permits = new Permits(origin.maxConnections(), origin.maxQueue());
        this.target = new Connecting.Target(origin, channels, addresses, permits);
    }

    /**
     * Sends {@code request} and hands the response to {@code sink}, on {@code loop} and never from
     * within this call. While the flow is paused the sink gets nothing but interim responses and
     * the head; a response that takes longer than the origin's deadlines ends in a failure.
     *
     * <p>The request's body flows once a connection stands; it may never be asked for, and is left
     * paused if the exchange ends before it does.
     *
     * @param loop of the exchange that asks, and the caller's own
     * @return ends the request at any time, also before there is a head
     */
    public BodyFlow fetch(OriginRequest request, EventLoop loop, ResponseSink sink) {
        var fetch = new OriginFetch(this, request, loop, sink, origin.retries());
        loop.execute(fetch::start);
        return fetch;
    }

    /**
     * Closes the idle connections, and from now on every other one after its response. Requests
     * still work, each on a connection of its own. Any thread; does not wait.
     */
    @Override
    public void close() {
        closed = true;
        pools.forEach((loop, pool) -> {
            try {
                loop.execute(pool::close);
            } catch (RejectedExecutionException e) {
                // A loop that has ended has closed its connections.
                return;
            }
        });
    }

    /** Connections open or being opened. Any thread. */
    public int openConnections() {
        return permits.taken();
    }

    /** Connections open and without a request. Any thread. */
    public int idleConnections() {
        return permits.idle();
    }

    /** Requests that wait for a connection. Any thread. */
    public int queued() {
        return permits.waiting();
    }

    FetchEvents events() {
        return events;
    }

    Permits permits() {
        return permits;
    }

    Connecting connecting(EventLoop loop, Connecting.Outcome outcome) {
        return new Connecting(target, loop, poolOf(loop), outcome);
    }

    /** An idle connection of {@code loop} that can be used; null if there is none. */
    @Nullable OriginConnection takeIdle(EventLoop loop) {
        var pool = poolOf(loop);
        while (true) {
            var connection = pool.take();
            if (connection == null || connection.isUsable()) {
                return connection;
            }
            connection.close();
        }
    }

    private IdleConnections poolOf(EventLoop loop) {
        var known = pools.get(loop);
        if (known != null) {
            return known;
        }
        var added = new IdleConnections(loop, permits);
        pools.put(loop, added);
        permits.add(added);
        if (closed) {
            added.close();
        }
        return added;
    }
}
