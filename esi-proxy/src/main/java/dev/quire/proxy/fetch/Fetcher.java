package dev.quire.proxy.fetch;

import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.FetchEvents;
import dev.quire.proxy.exchange.OriginClient;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.OriginRequest.Affinity;
import dev.quire.proxy.exchange.ResponseSink;
import dev.quire.proxy.route.Origin;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to one origin, each to one of its servers. Connections belong to the loop that
 * opened them and are kept there for the next request; how many are open to a server is limited
 * over all loops.
 */
public final class Fetcher implements OriginClient, AutoCloseable {
    private final Origin origin;
    private final FetchEvents events;
    private final RetryBudget budget;
    private final List<Endpoint> endpoints;
    private final Balancer first;
    private final Balancer fallback;

    /**
     * @param channels the kind of channel that the loops given to {@link #fetch} can drive
     * @param datagrams the same, to ask name servers
     */
    public Fetcher(
            Origin origin,
            Class<? extends SocketChannel> channels,
            Class<? extends DatagramChannel> datagrams,
            FetchEvents events) {
        this(
                origin,
                new ReflectiveChannelFactory<>(channels),
                url -> Addresses.of(url.url().getHost(), url.port(), channels, datagrams),
                events);
    }

    /** A fetcher whose origin is at {@code address}, whatever the kind of {@code channels}. */
    public static Fetcher at(
            SocketAddress address,
            Origin origin,
            ChannelFactory<? extends Channel> channels,
            FetchEvents events) {
        return new Fetcher(origin, channels, url -> Addresses.only(address), events);
    }

    Fetcher(
            Origin origin,
            ChannelFactory<? extends Channel> channels,
            Function<Origin.Url, Addresses> addresses,
            FetchEvents events) {
        this.origin = origin;
        this.events = events;
        this.budget = new RetryBudget(origin.retries().budgetPercent());
        this.endpoints =
                origin.urls().stream()
                        .map(url ->
                                new Endpoint(origin, url, channels, addresses.apply(url), events))
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

    /** Checks the servers from now on, if the origin is to be checked. Once. */
    public void check(EventLoop loop) {
        loop.execute(() -> endpoints.forEach(endpoint -> endpoint.check(loop)));
    }

    /**
     * Closes the idle connections, and from now on every other one after its response; ends the
     * checks. Requests still work, each on a connection of its own. Any thread; does not wait.
     */
    @Override
    public void close() {
        endpoints.forEach(Endpoint::close);
    }

    /** How its servers stand, in the order of the configuration. Any thread. */
    public List<ServerState> servers() {
        return endpoints.stream().map(Endpoint::state).toList();
    }

    /** Connections open or being opened. Any thread. */
    public int openConnections() {
        return sum(endpoint -> endpoint.permits().taken());
    }

    /** Connections open and without a request. Any thread. */
    public int idleConnections() {
        return sum(endpoint -> endpoint.permits().idle());
    }

    /** Requests that wait for a connection. Any thread. */
    public int queued() {
        return sum(endpoint -> endpoint.permits().waiting());
    }

    private int sum(ToIntFunction<Endpoint> number) {
        return endpoints.stream().mapToInt(number).sum();
    }

    String name() {
        return origin.name();
    }

    FetchEvents events() {
        return events;
    }

    RetryBudget budget() {
        return budget;
    }

    /** A visit to the server for a request; null if none is to be asked now. */
    Endpoint.@Nullable Visit choose(Affinity affinity, long now) {
        return elsewhere(affinity, null, now);
    }

    /** As {@link #choose}, but to another server than {@code failed}. */
    Endpoint.@Nullable Visit elsewhere(Affinity affinity, @Nullable Endpoint failed, long now) {
        var visit = first.choose(affinity, failed, now);
        return visit == null ? fallback.choose(affinity, failed, now) : visit;
    }
}
