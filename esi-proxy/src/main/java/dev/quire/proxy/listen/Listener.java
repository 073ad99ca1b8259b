package dev.quire.proxy.listen;

import dev.quire.core.http.Scheme;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Accepts client connections on ports, each with its scheme. */
public final class Listener {
    private static final int MAX_CONNECTIONS = 10_000;

    private final EventLoopGroup loops;
    private final Transport transport;
    private final ExchangeHandler exchanges;
    private final ConnectionRules rules;
    private final Map<EventLoop, LoopConnections> connections = new ConcurrentHashMap<>();
    private final AtomicInteger open = new AtomicInteger();
    private final List<Channel> channels = new CopyOnWriteArrayList<>();
    private volatile boolean isDraining;

    /**
     * How clients are served.
     *
     * @param keepAlive how long a connection may be quiet between requests; zero closes it after
     *     each answer
     * @param maxPerClient connections of one client; 0 is no limit
     * @param trusted whose forwarding fields are believed
     */
    public record Rules(Duration keepAlive, int maxPerClient, Predicate<InetAddress> trusted) {}

    /**
     * @param wall the time of day, for the {@code Date} of answers of our own
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
        this.rules =
                new ConnectionRules(
                        rules.keepAlive().toNanos(),
                        MAX_CONNECTIONS,
                        new ClientShares(rules.maxPerClient()),
                        new ClientFields(rules.trusted()),
                        wall,
                        events);
    }

    /**
     * Listens, each loop by itself where the kernel spreads connections among them, so that a
     * connection needs no handing over; returns the address, with the port that was chosen where
     * {@code address} left it open. Waits, so not for event loops.
     *
     * @param scheme of the requests that come there: it is in their cache keys, and origins are
     *     told
     * @throws IOException if it cannot listen there
     */
    public InetSocketAddress listen(InetSocketAddress address, Scheme scheme, int backlog)
            throws IOException {
        var reusePort = transport.reusePort();
        if (reusePort == null) {
            return bind(loops, server(scheme, backlog), address);
        }
        var bound = address;
        for (var loop : loops) {
            bound = bind((EventLoop) loop, server(scheme, backlog).option(reusePort, true), bound);
        }
        return bound;
    }

    private ServerBootstrap server(Scheme scheme, int backlog) {
        return new ServerBootstrap()
                .channel(transport.serverChannel())
                .option(ChannelOption.SO_BACKLOG, backlog)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                // Over the adaptive one: a page of ten fragments takes a sixth less time with it
                // outside of the kernel.
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

    /** How many client connections are open. */
    public int openConnections() {
        return open.get();
    }

    /**
     * No new connection; open ones close with their answer. Waits for them until {@code patience}
     * ends.
     */
    public void drain(Duration patience) throws InterruptedException {
        close();
        isDraining = true;
        connections.forEach((loop, each) -> loop.execute(each::drain));
        long deadline = System.nanoTime() + patience.toNanos();
        while (open.get() > 0 && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    /** No new connection. */
    public void close() {
        channels.forEach(channel -> channel.close().awaitUninterruptibly());
    }

    /**
     * Serves {@code client}, a connection that has just been accepted, whose requests are of {@code
     * scheme}. On its loop.
     */
    public void accept(Channel client, Scheme scheme) {
        accept(client, scheme, client.remoteAddress());
    }

    /**
     * As {@link #accept(Channel, Scheme)}, but the connection counts as one from {@code remote}.
     */
    public void accept(Channel client, Scheme scheme, SocketAddress remote) {
        int count = open.incrementAndGet();
        client.closeFuture().addListener(closed -> open.decrementAndGet());
        if (count > rules.maxConnections()) {
            turnAway(client, Overflow.TOO_MANY_CONNECTIONS);
            return;
        }
        var peer = rules.peer(remote);
        var address = peer.address();
        if (!rules.shares().enter(address)) {
            turnAway(client, Overflow.TOO_MANY_OF_ONE_CLIENT);
            return;
        }
        client.closeFuture().addListener(closed -> rules.shares().leave(address));
        var siblings = connections.computeIfAbsent(client.eventLoop(), LoopConnections::new);
        if (isDraining) {
            siblings.drain();
        }
        var decoder = new RequestDecoder(new RequestValidator(scheme));
        client.pipeline()
                .addLast(decoder, new ConnectionHandler(decoder, exchanges, rules, peer, siblings));
    }

    private void turnAway(Channel client, Overflow reason) {
        rules.events().turnedAway(reason);
        client.close();
    }
}
