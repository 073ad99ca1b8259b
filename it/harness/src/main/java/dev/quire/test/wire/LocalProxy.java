package dev.quire.test.wire;

import dev.quire.core.assemble.AssemblyObserver;
import dev.quire.proxy.Proxy;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.exchange.OriginClient;
import dev.quire.proxy.exchange.Time;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** The real proxy, in this JVM, without sockets on either side. Thread-safe. */
final class LocalProxy implements ProxyHandle {
    private static final int MOST_PORTS = 0xffff;

    /** Shared by all instances in this JVM, because threads take longer to start than a proxy. */
    private static final EventLoopGroup LOOPS =
            new MultiThreadIoEventLoopGroup(
                    Runtime.getRuntime().availableProcessors(),
                    new DefaultThreadFactory("quire-test", true),
                    LocalIoHandler.newFactory());

    private static final AtomicInteger CONNECTIONS = new AtomicInteger();

    private final Proxy proxy;
    private final LocalAddress address = new LocalAddress(LocalProxy.class);
    private final Channel server;
    private final Runnable atItsEnd;
    private volatile boolean isStopped;
    private final ChannelGroup clients = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

    LocalProxy(
            Configuration configuration,
            Time time,
            AssemblyObserver observer,
            Function<Duration, OriginClient> origin,
            Runnable atItsEnd) {
        this.atItsEnd = atItsEnd;
        proxy =
                Proxy.withoutSockets(
                        configuration,
                        time,
                        observer,
                        LOOPS,
                        name ->
                                origin.apply(
                                        Objects.requireNonNull(configuration.origins().get(name))
                                                .deadlines()
                                                .firstByte()));
        server =
                new ServerBootstrap()
                        .group(LOOPS)
                        .channel(LocalServerChannel.class)
                        .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                        .childHandler(
                                new ChannelInitializer<LocalChannel>() {
                                    @Override
                                    protected void initChannel(LocalChannel client) {
                                        serve(client);
                                    }
                                })
                        .bind(address)
                        .syncUninterruptibly()
                        .channel();
    }

    private void serve(LocalChannel client) {
        clients.add(client);
        proxy.serve(
                client,
                new InetSocketAddress(
                        InetAddress.getLoopbackAddress(),
                        LocalSocket.portOf(client.remoteAddress())));
    }

    @Override
    public HttpWire connect() {
        int port = CONNECTIONS.updateAndGet(last -> last % MOST_PORTS + 1);
        try {
            return new HttpWire(new LocalSocket(LOOPS, address, port), "localhost");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot connect to the proxy", e);
        }
    }

    @Override
    public void purgeUrls(String... urls) {
        RunningProxy.purge(proxy, List.of(urls), List.of());
    }

    @Override
    public void purgeTags(String... tags) {
        RunningProxy.purge(proxy, List.of(), List.of(tags));
    }

    @Override
    public void awaitNoFetch() {
        RunningProxy.awaitNoFetch(proxy, () -> isStopped);
    }

    @Override
    public void close() {
        isStopped = true;
        server.close().syncUninterruptibly();
        clients.close().awaitUninterruptibly();
        // The events at the end of a connection are handled on the loops.
        LOOPS.forEach(loop -> loop.submit(() -> {}).awaitUninterruptibly());
        proxy.close();
        atItsEnd.run();
    }
}
