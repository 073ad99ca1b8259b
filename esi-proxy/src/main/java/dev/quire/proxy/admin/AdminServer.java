package dev.quire.proxy.admin;

import dev.quire.proxy.config.HostPort;
import dev.quire.proxy.config.Token;
import dev.quire.proxy.handover.ListeningSockets;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.IdleStateHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
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
    private static final int DRAIN_SECONDS = 30;
    private static final int POLL_MILLIS = 10;

    private final HostPort address;
    private final Endpoints api;
    private final AtomicReference<Optional<Token>> token;
    private final Sockets sockets;
    private @Nullable EventLoopGroup loop;
    private @Nullable Channel listener;
    private @Nullable AdminConnections connections;

    /**
     * The kind of its sockets.
     *
     * @param loops creates its event loop, which drives them
     */
    public record Sockets(
            Class<? extends ServerChannel> serverChannel,
            Supplier<? extends EventLoopGroup> loops) {}

    private AdminServer(
            HostPort address,
            Endpoints api,
            AtomicReference<Optional<Token>> token,
            Sockets sockets) {
        this.address = address;
        this.api = api;
        this.token = token;
        this.sockets = sockets;
    }

    /**
     * The listener of the admin API.
     *
     * @param token required until {@link #require}
     */
    public static AdminServer of(
            HostPort address, Optional<Token> token, AdminActions actions, Sockets sockets) {
        var required = new AtomicReference<>(token);
        return new AdminServer(address, new AdminApi(actions, required::get), required, sockets);
    }

    /** The listener of the probes alone, without a token. */
    public static AdminServer ofProbes(HostPort address, AdminActions actions, Sockets sockets) {
        return new AdminServer(
                address, new Probes(actions), new AtomicReference<>(Optional.empty()), sockets);
    }

    /** Requires {@code next} of the admin API's requests that begin from now on. */
    public void require(Optional<Token> next) {
        token.set(next);
    }

    /**
     * Binds the configured address and returns it with the actual port. Accepts nothing until
     * {@link #beginAccepting}.
     *
     * @throws IOException if the address cannot be bound; the server must still be closed
     */
    public InetSocketAddress start() throws IOException {
        var bound =
                server().channel(sockets.serverChannel())
                        .option(ChannelOption.AUTO_READ, false)
                        .bind(address.resolved())
                        .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + address + ": " + bound.cause().getMessage(),
                    bound.cause());
        }
        return listeningOn(bound.channel());
    }

    /**
     * Uses the socket of another process and returns its address. Accepts nothing until {@link
     * #beginAccepting}.
     *
     * @throws IOException if it cannot be used; the server must still be closed
     */
    public InetSocketAddress adopt(ListeningSockets inherited) throws IOException {
        inherited.close(1);
        return listeningOn(inherited.adopt(server(), inherited.descriptors().getFirst()));
    }

    private InetSocketAddress listeningOn(Channel channel) {
        listener = channel;
        return (InetSocketAddress) channel.localAddress();
    }

    private ServerBootstrap server() {
        var listening = sockets.loops().get();
        loop = listening;
        var accepted = new AdminConnections();
        connections = accepted;
        return new ServerBootstrap()
                .group(listening)
                .childHandler(
                        new ChannelInitializer<SocketChannel>() {
                            @Override
                            protected void initChannel(SocketChannel channel) {
                                var handler = new AdminHandler(api, AdminServer::onVirtualThread);
                                channel.pipeline()
                                        .addLast(
                                                new IdleStateHandler(0, 0, IDLE_SECONDS),
                                                codec(),
                                                handler);
                                accepted.add(channel, handler);
                            }
                        });
    }

    /** Accepts connections from now on. */
    public void beginAccepting() {
        if (listener != null) {
            ListeningSockets.beginAccepting(listener);
        }
    }

    /** The socket of a server that listens. */
    public ListeningSockets sockets(ListeningSockets.Role role) {
        if (listener == null) {
            throw new IllegalStateException("the server does not listen");
        }
        return ListeningSockets.of(role, address, List.of(listener));
    }

    /** Accepts no new connections, so that another process can; open ones stay. */
    public void stopListening() {
        if (listener != null) {
            listener.close().awaitUninterruptibly();
        }
    }

    /**
     * Like {@link #stopListening}; closes once no request is being answered. Blocks: not for a
     * request of its own.
     */
    public void drainAndClose() throws InterruptedException {
        stopListening();
        var serving = loop;
        var open = connections;
        if (serving != null && open != null) {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DRAIN_SECONDS);
            while (System.nanoTime() < deadline
                    && serving.submit(open::isAnswering).awaitUninterruptibly().getNow()) {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        }
        close();
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
