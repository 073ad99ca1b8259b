package dev.quire.proxy.fetch;

import dev.quire.core.assemble.Failure;
import dev.quire.proxy.exchange.FetchEvents;
import dev.quire.proxy.route.Origin;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One server of an origin: its addresses, its connections on every loop, and whether it may be
 * asked. Any thread, but for what belongs to a loop.
 */
final class Endpoint {
    private static final Logger LOG = LoggerFactory.getLogger(Endpoint.class);

    private final Origin origin;
    private final Origin.Url url;
    private final FetchEvents events;
    private final Addresses addresses;
    private final ChannelFactory<? extends Channel> channels;
    private final Permits permits;
    private final Connecting.Target target;
    private final Circuit circuit;
    private final AtomicInteger requests = new AtomicInteger();
    private final ConcurrentMap<EventLoop, IdleConnections> pools = new ConcurrentHashMap<>();
    private volatile ServerState.Health health = ServerState.Health.UNCHECKED;
    private volatile boolean closed;
    private volatile @Nullable HealthCheck check;

    Endpoint(
            Origin origin,
            Origin.Url url,
            ChannelFactory<? extends Channel> channels,
            Addresses addresses,
            FetchEvents events) {
        this.origin = origin;
        this.url = url;
        this.events = events;
        this.addresses = addresses;
        this.channels = channels;
        this.permits = new Permits(origin.maxConnections(), origin.maxQueue());
        this.target = new Connecting.Target(origin, url, channels, addresses, permits);
        this.circuit = new Circuit(origin.health().slowStart(), new Announcement());
    }

    /** Begins a request; null if the server must not be asked now. */
    @Nullable Visit visit(long now) {
        int ticket = circuit.enter(now);
        return ticket == Circuit.REFUSED ? null : new Visit(ticket);
    }

    /** One request to this server, from its choice to its end. On the loop of its fetch. */
    final class Visit {
        private final int ticket;
        private boolean isJudged;
        private boolean isOver;

        private Visit(int ticket) {
            this.ticket = ticket;
            requests.incrementAndGet();
        }

        Endpoint endpoint() {
            return Endpoint.this;
        }

        /**
         * The head of the answer has come. That 500 is a fault of the page that was asked for, 502,
         * 503 and 504 are the server's.
         */
        void answered(int status, long now) {
            isJudged = true;
            if (status >= 502 && status <= 504) {
                circuit.failed(ticket, false, "status " + status, now);
            } else {
                circuit.answered(ticket, now);
            }
        }

        /** There is no answer, or it broke off; whose fault that is decides. */
        void failed(Failure failure, long now) {
            if (failure.side() == Failure.Side.ORIGIN) {
                isJudged = true;
                boolean isConnect = failure.kind() == Failure.Kind.UNREACHABLE;
                circuit.failed(ticket, isConnect, failure.detail(), now);
            }
        }

        /** Nothing more comes of it, whatever has come; once is enough. */
        void end() {
            if (!isOver) {
                isOver = true;
                requests.decrementAndGet();
                if (!isJudged) {
                    circuit.left(ticket);
                }
            }
        }
    }

    /** Checks the server from now on, if the origin is to be checked; once. */
    void check(EventLoop loop) {
        var path = origin.health().path();
        if (path.isPresent()) {
            var begun =
                    new HealthCheck(
                            origin.health(),
                            path.get(),
                            url,
                            channels,
                            addresses,
                            loop,
                            new Findings(loop));
            check = begun;
            begun.start();
        }
    }

    Permits permits() {
        return permits;
    }

    boolean isFallback() {
        return url.isFallback();
    }

    /** The same for one URL in every process. */
    int hash() {
        return url.url().toString().hashCode();
    }

    /** Requests under way. */
    int requests() {
        return requests.get();
    }

    /** Its share at this moment. */
    double weightAt(long now) {
        return url.weight() * circuit.warmth(now);
    }

    /** Whether a further request would find neither a connection nor room to wait for one. */
    boolean isFull() {
        return permits.taken() >= origin.maxConnections()
                && permits.waiting() >= origin.maxQueue()
                && permits.idle() == 0;
    }

    ServerState state() {
        return new ServerState(
                url.url(),
                circuit.state(),
                health,
                requests.get(),
                permits.taken(),
                permits.idle(),
                permits.waiting());
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

    /** As {@link Fetcher#close}. */
    void close() {
        closed = true;
        var checking = check;
        if (checking != null) {
            checking.stop();
        }
        addresses.close();
        pools.forEach((loop, pool) -> {
            try {
                loop.execute(pool::close);
            } catch (RejectedExecutionException e) {
                // A loop that has ended has closed its connections.
                return;
            }
        });
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

    /** Says what becomes of the circuit. */
    private final class Announcement implements Circuit.Listener {
        @Override
        public void opened(String why) {
            LOG.warn("origin {}: circuit opened for {}: {}", origin.name(), url.url(), why);
            events.ejected();
        }

        @Override
        public void closed() {
            LOG.info("origin {}: circuit closed for {}", origin.name(), url.url());
        }
    }

    /** Obeys the checks. */
    private final class Findings implements HealthCheck.Findings {
        private final EventLoop loop;

        Findings(EventLoop loop) {
            this.loop = loop;
        }

        @Override
        public void well() {
            if (health == ServerState.Health.DOWN) {
                LOG.info("origin {}: {} is healthy again", origin.name(), url.url());
            }
            health = ServerState.Health.UP;
            circuit.well(loop.ticker().nanoTime());
        }

        @Override
        public void sick(String why) {
            health = ServerState.Health.DOWN;
            circuit.sick(why, loop.ticker().nanoTime());
        }
    }
}
