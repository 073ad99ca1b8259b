package dev.quire.proxy.admin;

import dev.quire.proxy.config.Admin;
import dev.quire.proxy.config.HostPort;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.IdleStateHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A listener for operators, on its own event loop so that it responds when the others are busy.
 * Started once and closed once, by one thread.
 */
public final class AdminServer implements AutoCloseable {
    /** Maximum number of connections; the oldest one without a request gives way to another. */
    public static final int MAX_CONNECTIONS = 64;

    private static final int MAX_REQUEST_LINE = 16 << 10;
    private static final int IDLE_SECONDS = 60;
    private static final int STOP_SECONDS = 2;

    private final HostPort address;
    private final Endpoints api;
    private final Supplier<? extends EventLoopGroup> loops;
    private @Nullable EventLoopGroup loop;
    private @Nullable Channel listener;

    private AdminServer(HostPort address, Endpoints api, Supplier<? extends EventLoopGroup> loops) {
        this.address = address;
        this.api = api;
        this.loops = loops;
    }

    /**
     * The listener of the admin API.
     *
     * @param loops creates its event loop, which drives NIO channels
     */
    public static AdminServer of(
            Admin config, AdminActions actions, Supplier<? extends EventLoopGroup> loops) {
        return new AdminServer(config.address(), new AdminApi(actions, config.token()), loops);
    }

    /**
     * The listener of the probes alone, without a token.
     *
     * @param loops creates its event loop, which drives NIO channels
     */
    public static AdminServer ofProbes(
            HostPort address, AdminActions actions, Supplier<? extends EventLoopGroup> loops) {
        return new AdminServer(address, new Probes(actions), loops);
    }

    /**
     * Binds the configured address and returns it with the actual port.
     *
     * @throws IOException if the address cannot be bound; the server must still be closed
     */
    public InetSocketAddress start() throws IOException {
        var listening = loops.get();
        loop = listening;
        var connections = new AdminConnections();
        var bound =
                new ServerBootstrap()
                        .group(listening)
                        .channel(NioServerSocketChannel.class)
                        .childHandler(
                                new ChannelInitializer<SocketChannel>() {
                                    @Override
                                    protected void initChannel(SocketChannel channel) {
                                        var handler =
                                                new AdminHandler(api, AdminServer::onVirtualThread);
                                        channel.pipeline()
                                                .addLast(
                                                        new IdleStateHandler(0, 0, IDLE_SECONDS),
                                                        codec(),
                                                        handler);
                                        connections.add(channel, handler);
                                    }
                                })
                        .bind(address.resolved())
                        .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + address + ": " + bound.cause().getMessage(),
                    bound.cause());
        }
        listener = bound.channel();
        return (InetSocketAddress) bound.channel().localAddress();
    }

    /** Accepts no new connections, so that another process can; open ones stay. */
    public void stopListening() {
        if (listener != null) {
            listener.close().awaitUninterruptibly();
        }
    }

    /** Closes all connections if it was started. Blocks for at most two seconds. */
    @Override
    public void close() {
        if (loop != null) {
            loop.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS)
                    .awaitUninterruptibly(STOP_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static void onVirtualThread(Runnable work) {
        Thread.ofVirtual().name("quire-admin-action").start(work);
    }

    /** The URL of {@code GET /v1/cache} contains another whole URL. */
    static HttpServerCodec codec() {
        return new HttpServerCodec(
                new HttpDecoderConfig().setMaxInitialLineLength(MAX_REQUEST_LINE));
    }
}
