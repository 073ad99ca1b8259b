package dev.quire.proxy.listen;

import dev.quire.core.http.FieldNames;
import dev.quire.core.http.Scheme;
import dev.quire.proxy.config.LimitsConfig;
import dev.quire.proxy.config.Listen;
import dev.quire.proxy.config.Listen.HalfClose;
import dev.quire.proxy.config.TrustConfig;
import dev.quire.proxy.exchange.ClientTrust;
import dev.quire.proxy.exchange.ExchangeHandler;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Accepts client connections on ports with a scheme each. */
public final class Listener {
    private final EventLoopGroup loops;
    private final Transport transport;
    private final ExchangeHandler exchanges;
    private final ConnectionRules rules;
    private final TurnedAway turnedAway;
    private final Traffic traffic = new Traffic();
    private final Map<EventLoop, LoopConnections> connections = new ConcurrentHashMap<>();
    private final AtomicInteger open = new AtomicInteger();
    private final List<Channel> channels = new CopyOnWriteArrayList<>();
    private volatile boolean isDraining;

    /**
     * How clients are served.
     *
     * @param limits of request heads
     * @param defaultHost the authority of requests of HTTP/1.0 without Host; may change
     * @param maxConnections client connections, over all ports
     * @param trust which of the clients' claims are believed
     */
    public record Rules(
            Listen settings,
            LimitsConfig limits,
            Supplier<Optional<String>> defaultHost,
            int maxConnections,
            TrustConfig trust) {}

    /**
     * @param wall the time of day, for the {@code Date} of generated responses
     */
    public Listener(
            EventLoopGroup loops,
            Transport transport,
            ExchangeHandler exchanges,
            Rules rules,
            Supplier<Instant> wall,
            ListenEvents events) {
        this.loops = loops;
        this.transport = transport;
        this.exchanges = exchanges;
        this.turnedAway = new TurnedAway(events);
        this.rules =
                new ConnectionRules(
                        rules.settings(),
                        rules.limits(),
                        rules.defaultHost(),
                        rules.maxConnections(),
                        new ClientShares(rules.settings().maxConnectionsPerClient()),
                        trust(rules.trust()),
                        wall,
                        traffic,
                        events);
    }

    private static ClientTrust trust(TrustConfig config) {
        return new ClientTrust(
                config::trusts,
                FieldNames.of(config.fields().toArray(String[]::new)),
                config.diagnostics().isPresent() ? config::diagnoses : null);
    }

    /**
     * Binds {@code address} and returns it with the actual port. If the kernel can distribute
     * connections, each loop listens itself, so that no connection changes threads. Blocks: not for
     * event loops.
     *
     * @param scheme of the requests received there: part of their cache keys and forwarded to
     *     origins
     * @throws IOException if the address cannot be bound
     */
    public InetSocketAddress listen(InetSocketAddress address, Scheme scheme) throws IOException {
        var reusePort = transport.reusePort();
        if (reusePort == null) {
            return bind(loops, server(scheme), address);
        }
        var bound = address;
        for (var loop : loops) {
            bound = bind((EventLoop) loop, server(scheme).option(reusePort, true), bound);
        }
        return bound;
    }

    private ServerBootstrap server(Scheme scheme) {
        return new ServerBootstrap()
                .channel(transport.serverChannel())
                .option(ChannelOption.SO_BACKLOG, rules.settings().backlog())
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(
                        ChannelOption.ALLOW_HALF_CLOSURE,
                        rules.settings().halfClose() == HalfClose.ANSWER)
                // With the pooled allocator a page of ten fragments takes a sixth less user time
                // than with the adaptive one.
                .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .childHandler(
                        new ChannelInitializer<>() {
                            @Override
                            protected void initChannel(Channel client) {
                                accept(client, scheme);
                            }
                        });
    }

    private InetSocketAddress bind(
            EventLoopGroup group, ServerBootstrap server, InetSocketAddress address)
            throws IOException {
        var binding = server.group(group).bind(address).awaitUninterruptibly();
        if (!binding.isSuccess()) {
            close();
            throw new IOException(
                    "cannot listen on " + address + ": " + binding.cause().getMessage(),
                    binding.cause());
        }
        channels.add(binding.channel());
        return (InetSocketAddress) binding.channel().localAddress();
    }

    public int openConnections() {
        return open.get();
    }

    /** Bytes received from clients, with heads and framing. */
    public long receivedBytes() {
        return traffic.received();
    }

    /** Bytes sent to clients, with heads and framing. */
    public long sentBytes() {
        return traffic.sent();
    }

    /** Accepts no new connections; open ones close with their response. */
    public void beginDraining() {
        isDraining = true;
        close();
        connections.forEach((loop, each) -> loop.execute(each::drain));
    }

    /**
     * Like {@link #beginDraining}. Blocks until all connections are closed or {@code patience} has
     * elapsed; then closes the tunnels that are left.
     */
    public void drain(Duration patience) throws InterruptedException {
        beginDraining();
        long deadline = System.nanoTime() + patience.toNanos();
        while (open.get() > 0 && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        connections.forEach((loop, each) -> loop.execute(each::closeTunnels));
    }

    /** Accepts no new connections. */
    public void close() {
        channels.forEach(channel -> channel.close().awaitUninterruptibly());
    }

    /**
     * Serves {@code client}, a connection just accepted, with requests of {@code scheme}. Called on
     * its loop.
     */
    public void accept(Channel client, Scheme scheme) {
        accept(client, scheme, client.remoteAddress());
    }

    /** Like {@link #accept(Channel, Scheme)}, with {@code remote} as the client's address. */
    public void accept(Channel client, Scheme scheme, SocketAddress remote) {
        int count = open.incrementAndGet();
        client.closeFuture().addListener(closed -> open.decrementAndGet());
        var peer = rules.peer(remote);
        var address = peer.address();
        if (count > rules.maxConnections()) {
            turnAway(client, Overflow.TOO_MANY_CONNECTIONS, address);
            return;
        }
        if (!rules.shares().enter(address)) {
            turnAway(client, Overflow.TOO_MANY_OF_ONE_CLIENT, address);
            return;
        }
        client.closeFuture().addListener(closed -> rules.shares().leave(address));
        var siblings = connections.computeIfAbsent(client.eventLoop(), LoopConnections::new);
        if (isDraining) {
            siblings.drain();
        }
        var decoder =
                new RequestDecoder(
                        new RequestValidator(scheme, rules.defaultHost()), rules.limits(), traffic);
        client.pipeline()
                .addLast(decoder, new ConnectionHandler(decoder, exchanges, rules, peer, siblings));
    }

    private void turnAway(Channel client, Overflow reason, InetAddress address) {
        turnedAway.add(reason, address, client.eventLoop());
        client.close();
    }
}
