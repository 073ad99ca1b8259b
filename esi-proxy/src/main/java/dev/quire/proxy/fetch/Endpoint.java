package dev.quire.proxy.fetch;

import dev.quire.core.assemble.Failure;
import dev.quire.proxy.exchange.FetchEvents;
import dev.quire.proxy.exchange.ServerEvents;
import dev.quire.proxy.fetch.PathOutcomes.Outcome;
import dev.quire.proxy.route.OriginSettings;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One server of an origin: its addresses, its connections on every loop, and its circuit breaker.
 * Thread-safe, except for what is confined to a loop.
 */
final class Endpoint {
    private static final Logger LOG = LoggerFactory.getLogger(Endpoint.class);

    private final OriginSettings origin;
    private final OriginSettings.Url url;
    private final FetchEvents events;
    private final ServerEvents requestEvents;
    private final ServerSockets sockets;
    private final Permits permits;
    private final UploadShare uploads;
    private final Connecting.Target target;
    private final Circuit circuit;
    private final AtomicInteger requests = new AtomicInteger();
    private final ConcurrentMap<EventLoop, IdleConnections> pools = new ConcurrentHashMap<>();
    private volatile ServerState.Health health = ServerState.Health.UNCHECKED;
    private volatile boolean closed;

    /** Why the last handshake failed; null if it did not. */
    private volatile @Nullable String tlsFault;

    private volatile @Nullable HealthCheck check;
    private final CompletableFuture<String> firstCheck = new CompletableFuture<>();

    Endpoint(
            OriginSettings origin,
            ServerSockets sockets,
            ClosedCircuits closedCircuits,
            FetchEvents events) {
        this.origin = origin;
        this.sockets = sockets;
        this.url = sockets.url();
        this.events = events;
        this.requestEvents = events.of(url.hostPort());
        if (sockets.tls() != null) {
            requestEvents.showTls();
        }
        this.permits = new Permits(origin.maxConnections(), origin.maxQueue());
        this.uploads = new UploadShare(origin.maxConnections(), origin.maxQueue());
        this.target = new Connecting.Target(origin, sockets, new Handshakes(), permits);
        this.circuit = new Circuit(origin.health().slowStart(), closedCircuits, new Announcement());
    }

    /** Receives the outcomes of requests. */
    ServerEvents events() {
        return requestEvents;
    }

    /** As configured. */
    String url() {
        return url.url().toString();
    }

    /** Starts a request. Returns null if the server must not receive requests now. */
    @Nullable Attempt visit(long now) {
        int ticket = circuit.enter(now);
        return ticket == Circuit.REFUSED ? null : new Attempt(ticket);
    }

    /**
     * One request to this server, from the choice of the server to the end of the request. On the
     * loop of its fetch.
     */
    final class Attempt {
        private final int ticket;
        private boolean isJudged;
        private boolean isOver;

        private Attempt(int ticket) {
            this.ticket = ticket;
            requests.incrementAndGet();
        }

        Endpoint endpoint() {
            return Endpoint.this;
        }

        /**
         * Reports the status of the response. 502, 503 and 504 count as failures of the server; 500
         * is a failure of the requested page.
         */
        void answered(int status, PathOutcomes.Request request, long now) {
            if (status >= 502 && status <= 504) {
                failed(Outcome.STATUS, request, "status " + status, now);
            } else {
                isJudged = true;
                circuit.answered(ticket, request, now);
            }
        }

        /**
         * Reports that there is no response, or that it broke off. Counts only if the origin is at
         * fault.
         */
        void failed(Failure failure, PathOutcomes.Request request, long now) {
            if (failure.side() == Failure.Side.ORIGIN) {
                boolean isConnect = failure.kind() == Failure.Kind.UNREACHABLE;
                var outcome = isConnect ? Outcome.UNREACHABLE : Outcome.BROKEN;
                failed(outcome, request, failure.detail(), now);
            }
        }

        private void failed(
                Outcome outcome, PathOutcomes.Request request, String detail, long now) {
            if (circuit.failed(ticket, outcome, request, detail, now)) {
                isJudged = true;
            }
        }

        /** Ends the visit; idempotent. */
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

    /** Starts the health checks if they are configured. Called once. */
    void check(EventLoop loop) {
        var path = origin.health().path();
        if (path.isPresent()) {
            var begun = new HealthCheck(origin, path.get(), sockets, loop, new Findings(loop));
            check = begun;
            begun.start();
        } else {
            firstCheck.complete("unchecked");
        }
    }

    /** The result of the first health check: {@code up}, {@code unchecked} or the fault. */
    CompletableFuture<String> firstCheck() {
        return firstCheck;
    }

    Permits permits() {
        return permits;
    }

    UploadShare uploads() {
        return uploads;
    }

    /** Whether requests should go to other servers if possible. */
    boolean isShunned(long now) {
        return circuit.isShunned(now);
    }

    boolean isFallback() {
        return url.isFallback();
    }

    /** A hash of the URL; equal in every process. */
    int hash() {
        return url.url().toString().hashCode();
    }

    int requests() {
        return requests.get();
    }

    /** The current weight for load balancing. */
    double weightAt(long now) {
        return url.weight() * circuit.warmth(now);
    }

    /** The longest wait for a connection. */
    Duration queueTimeout() {
        return origin.queueTimeout();
    }

    /** Whether a new request would find neither a connection nor room in the queue. */
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
                permits.waiting(),
                tlsFault);
    }

    Connecting connecting(EventLoop loop, Connecting.Outcome outcome) {
        return new Connecting(target, loop, poolOf(loop), outcome);
    }

    /** Returns a usable idle connection of {@code loop}, or null. */
    @Nullable OriginConnection takeIdle(EventLoop loop) {
        return poolOf(loop).take();
    }

    /** See {@link Fetcher#close}. */
    void close() {
        closed = true;
        var checking = check;
        if (checking != null) {
            checking.stop();
        }
        sockets.addresses().close();
        pools.forEach((loop, pool) -> {
            try {
                loop.execute(pool::close);
            } catch (RejectedExecutionException e) {
                // A terminated loop has closed its connections.
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

    /** Keeps the fault of the last handshake, and logs a new one. */
    private final class Handshakes implements TlsOutcomes {
        @Override
        public void succeeded() {
            tlsFault = null;
            requestEvents.secured(true);
        }

        @Override
        public void failed(String detail) {
            if (!detail.equals(tlsFault)) {
                LOG.atWarn()
                        .addKeyValue("event", "origin-handshake-failed")
                        .addKeyValue("origin", origin.name())
                        .addKeyValue("server", url.url())
                        .log("origin {}: {}", origin.name(), detail);
            }
            tlsFault = detail;
            requestEvents.secured(false);
        }
    }

    /** Logs and counts the changes of the circuit. */
    private final class Announcement implements Circuit.Listener {
        @Override
        public void opened(String why) {
            LOG.atWarn()
                    .addKeyValue("event", "circuit-opened")
                    .addKeyValue("origin", origin.name())
                    .addKeyValue("server", url.url())
                    .log("origin {}: circuit opened for {}: {}", origin.name(), url.url(), why);
            events.ejected();
        }

        @Override
        public void closed() {
            LOG.atInfo()
                    .addKeyValue("event", "circuit-closed")
                    .addKeyValue("origin", origin.name())
                    .addKeyValue("server", url.url())
                    .log("origin {}: circuit closed for {}", origin.name(), url.url());
        }
    }

    /** Applies the results of the health checks. */
    private final class Findings implements HealthCheck.Findings {
        private final EventLoop loop;

        Findings(EventLoop loop) {
            this.loop = loop;
        }

        @Override
        public void first(@Nullable String fault) {
            firstCheck.complete(fault == null ? "up" : fault);
        }

        @Override
        public void healthy() {
            if (health == ServerState.Health.DOWN) {
                LOG.atInfo()
                        .addKeyValue("event", "server-healthy")
                        .addKeyValue("origin", origin.name())
                        .addKeyValue("server", url.url())
                        .log("origin {}: {} is healthy again", origin.name(), url.url());
            }
            health = ServerState.Health.UP;
            circuit.healthy(loop.ticker().nanoTime());
        }

        @Override
        public void unhealthy(String why) {
            health = ServerState.Health.DOWN;
            circuit.unhealthy(why, loop.ticker().nanoTime());
        }
    }
}
