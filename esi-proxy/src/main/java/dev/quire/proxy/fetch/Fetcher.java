package dev.quire.proxy.fetch;

import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.FetchEvents;
import dev.quire.proxy.exchange.OriginClient;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.OriginRequest.Affinity;
import dev.quire.proxy.exchange.ResponseSink;
import dev.quire.proxy.exchange.TransitBudget;
import dev.quire.proxy.route.OriginSettings;
import dev.quire.proxy.tls.ClientTls;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.UnixChannel;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests to one origin, each to one of its servers. Connections belong to the loop that
 * opened them and are reused there. Connections to a server are limited over all loops.
 */
public final class Fetcher implements OriginClient, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Fetcher.class);

    private final OriginSettings origin;
    private final TransitBudget transit;
    private final FetchEvents events;
    private final RetryBudget budget;
    private final List<Endpoint> endpoints;
    private final Balancer first;
    private final Balancer fallback;

    /**
     * The channel classes that the loops given to {@link #fetch} can drive.
     *
     * @param tcp for servers at a host
     * @param unix for servers at a Unix socket
     * @param datagrams for DNS queries
     */
    public record ChannelKinds(
            Class<? extends SocketChannel> tcp,
            Class<? extends Channel> unix,
            Class<? extends DatagramChannel> datagrams) {}

    /**
     * @param transit counts the bytes of request bodies that wait for a connection
     */
    public Fetcher(
            OriginSettings origin, ChannelKinds kinds, TransitBudget transit, FetchEvents events) {
        this(origin, tls(origin), (url, tls) -> sockets(url, kinds, tls), transit, events);
    }

    private static @Nullable ClientTls tls(OriginSettings origin) {
        return origin.urls().stream().anyMatch(OriginSettings.Url::isTls)
                ? new ClientTls(origin.tls())
                : null;
    }

    private static ServerSockets sockets(
            OriginSettings.Url url, ChannelKinds kinds, @Nullable ClientTls tls) {
        var socket = url.socket();
        return socket.isPresent()
                ? new ServerSockets(
                        url,
                        new ReflectiveChannelFactory<>(kinds.unix()),
                        Addresses.only(unixAddress(kinds, socket.get())),
                        null)
                : new ServerSockets(
                        url,
                        new ReflectiveChannelFactory<>(kinds.tcp()),
                        Addresses.of(url.host(), url.port(), kinds.tcp(), kinds.datagrams()),
                        url.isTls() ? tls : null);
    }

    private static SocketAddress unixAddress(ChannelKinds kinds, Path socket) {
        return UnixChannel.class.isAssignableFrom(kinds.unix())
                ? new DomainSocketAddress(socket.toString())
                : UnixDomainSocketAddress.of(socket);
    }

    /** Returns a fetcher for an origin at {@code address}, for any kind of {@code channels}. */
    public static Fetcher at(
            SocketAddress address,
            OriginSettings origin,
            ChannelFactory<? extends Channel> channels,
            FetchEvents events) {
        return new Fetcher(
                origin, channels, url -> Addresses.only(address), TransitBudget.UNLIMITED, events);
    }

    Fetcher(
            OriginSettings origin,
            ChannelFactory<? extends Channel> channels,
            Function<OriginSettings.Url, Addresses> addresses,
            TransitBudget transit,
            FetchEvents events) {
        this(
                origin,
                null,
                (url, tls) -> new ServerSockets(url, channels, addresses.apply(url), tls),
                transit,
                events);
    }

    private Fetcher(
            OriginSettings origin,
            @Nullable ClientTls tls,
            BiFunction<OriginSettings.Url, @Nullable ClientTls, ServerSockets> sockets,
            TransitBudget transit,
            FetchEvents events) {
        this.origin = origin;
        this.transit = transit;
        this.events = events;
        this.budget = new RetryBudget(origin.retries().budgetPercent());
        var closed = new ClosedCircuits(origin.urls().size());
        this.endpoints =
                origin.urls().stream()
                        .map(url -> new Endpoint(origin, sockets.apply(url, tls), closed, events))
                        .toList();
        this.first = balancer(endpoint -> !endpoint.isFallback());
        this.fallback = balancer(Endpoint::isFallback);
    }

    private Balancer balancer(Predicate<Endpoint> which) {
        return new Balancer(
                origin.balance(),
                endpoints.stream().filter(which).toList(),
                () -> ThreadLocalRandom.current().nextDouble());
    }

    @Override
    public BodyFlow fetch(OriginRequest request, EventLoop loop, ResponseSink sink) {
        var fetch = new OriginFetch(this, request, loop, sink, origin.retries().most());
        loop.execute(fetch::begin);
        return fetch;
    }

    /** Starts the health checks if they are configured. Called once. */
    public void check(EventLoop loop) {
        loop.execute(() -> endpoints.forEach(endpoint -> endpoint.check(loop)));
    }

    /**
     * Closes the idle connections now and each other connection after its response, and stops the
     * health checks. Requests still work, each on a new connection. Thread-safe; does not block.
     */
    @Override
    public void close() {
        endpoints.forEach(Endpoint::close);
    }

    /** The state of each server, in the order of the configuration. Thread-safe. */
    public List<ServerState> servers() {
        return endpoints.stream().map(Endpoint::state).toList();
    }

    /** The result of the first health check of each server, in the same order. Thread-safe. */
    public List<CompletableFuture<String>> firstChecks() {
        return endpoints.stream().map(Endpoint::firstCheck).toList();
    }

    /** Connections that are open or being opened. Thread-safe. */
    public int openConnections() {
        return sum(endpoint -> endpoint.permits().taken());
    }

    /** Open connections without a request. Thread-safe. */
    public int idleConnections() {
        return sum(endpoint -> endpoint.permits().idle());
    }

    /** Requests waiting for a connection. Thread-safe. */
    public int queued() {
        return sum(endpoint -> endpoint.permits().waiting());
    }

    /** Logs an internal error in the fetch of {@code request}. */
    void report(Throwable bug, OriginRequest request) {
        LOG.atError()
                .addKeyValue("event", "internal-error")
                .addKeyValue("origin", name())
                .setCause(bug)
                .log(
                        "request {} {} to origin {} failed",
                        request.head().method(),
                        request.head().target(),
                        name());
    }

    private int sum(ToIntFunction<Endpoint> number) {
        return endpoints.stream().mapToInt(number).sum();
    }

    String name() {
        return origin.name();
    }

    OriginSettings origin() {
        return origin;
    }

    TransitBudget transit() {
        return transit;
    }

    FetchEvents events() {
        return events;
    }

    RetryBudget budget() {
        return budget;
    }

    /** Starts a visit to a server for a request. Returns null if no server accepts requests. */
    Endpoint.@Nullable Attempt choose(Affinity affinity, long now) {
        return elsewhere(affinity, null, now);
    }

    /**
     * Starts a visit for a request that has failed at {@code failed}. Returns null if no server may
     * get it, or if too many requests have been repeated.
     */
    Endpoint.@Nullable Attempt again(
            Affinity affinity, Endpoint failed, OriginFetch.Repeat where, long now) {
        var next = elsewhere(affinity, failed, now);
        return next == null && where == OriginFetch.Repeat.ANYWHERE
                ? againAt(failed, now)
                : budgeted(next, now);
    }

    /** Like {@link #again}, but at the same server only. */
    Endpoint.@Nullable Attempt againAt(Endpoint failed, long now) {
        return budgeted(failed.visit(now), now);
    }

    private Endpoint.@Nullable Attempt budgeted(Endpoint.@Nullable Attempt next, long now) {
        if (next == null) {
            return null;
        }
        if (!budget.take(now)) {
            next.end();
            events.retryRefused();
            return null;
        }
        events.retried();
        return next;
    }

    /** Like {@link #choose}, but for a server other than {@code failed}. */
    private Endpoint.@Nullable Attempt elsewhere(
            Affinity affinity, @Nullable Endpoint failed, long now) {
        var visit = available(affinity, failed, false, now);
        return visit == null ? available(affinity, failed, true, now) : visit;
    }

    private Endpoint.@Nullable Attempt available(
            Affinity affinity, @Nullable Endpoint failed, boolean shunned, long now) {
        var visit = first.choose(affinity, failed, shunned, now);
        return visit == null ? fallback.choose(affinity, failed, shunned, now) : visit;
    }
}
