package dev.quire.proxy.listen;

import dev.quire.proxy.exchange.PlainWords;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.UnixChannelOption;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket implementation of this machine and the number of event loops. Clients and origins
 * share the loops.
 *
 * @param name for logs: {@code epoll} or {@code nio}
 * @param ioHandlers creates the I/O handler of each loop
 * @param serverChannel accepts clients
 * @param unixServerChannel accepts clients on Unix sockets
 * @param clientChannel connects to origins
 * @param unixChannel connects to origins on Unix sockets
 * @param datagramChannel queries name servers
 * @param reusePort lets every loop listen on the same port, with the kernel distributing
 *     connections; null if not supported
 * @param loops at least 1
 */
public record Transport(
        String name,
        IoHandlerFactory ioHandlers,
        Class<? extends ServerSocketChannel> serverChannel,
        Class<? extends ServerChannel> unixServerChannel,
        Class<? extends SocketChannel> clientChannel,
        Class<? extends Channel> unixChannel,
        Class<? extends DatagramChannel> datagramChannel,
        @Nullable ChannelOption<Boolean> reusePort,
        int loops) {
    private static final Logger LOG = LoggerFactory.getLogger(Transport.class);

    /** The address of the Unix socket at {@code path}, as {@link #unixServerChannel} takes it. */
    SocketAddress unixAddress(Path path) {
        return unixServerChannel == NioServerDomainSocketChannel.class
                ? UnixDomainSocketAddress.of(path)
                : new DomainSocketAddress(path.toFile());
    }

    public Transport {
        if (loops < 1) {
            throw new IllegalArgumentException("loops must be at least 1: " + loops);
        }
    }

    /** Native epoll if available, else NIO and a log line; one loop per processor. */
    public static Transport ofThisMachine() {
        return of(Epoll.unavailabilityCause(), Runtime.getRuntime().availableProcessors());
    }

    static Transport of(@Nullable Throwable noEpoll, int loops) {
        if (noEpoll == null) {
            return new Transport(
                    "epoll",
                    EpollHandler.newFactory(),
                    EpollServerSocketChannel.class,
                    EpollServerDomainSocketChannel.class,
                    EpollSocketChannel.class,
                    EpollDomainSocketChannel.class,
                    EpollDatagramChannel.class,
                    UnixChannelOption.SO_REUSEPORT,
                    loops);
        }
        LOG.atInfo()
                .addKeyValue("event", "no-epoll")
                .log("epoll is not available, using NIO: {}", PlainWords.of(noEpoll));
        return new Transport(
                "nio",
                NioIoHandler.newFactory(),
                NioServerSocketChannel.class,
                NioServerDomainSocketChannel.class,
                NioSocketChannel.class,
                NioDomainSocketChannel.class,
                NioDatagramChannel.class,
                null,
                loops);
    }
}
