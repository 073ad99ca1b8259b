package dev.quire.proxy.handover;

import dev.quire.proxy.config.ListenAddress;
import dev.quire.proxy.config.UnixPath;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The listening sockets of one address.
 *
 * @param address as configured
 * @param descriptors those of this process, each with its own queue of connections
 */
public record ListeningSockets(Role role, ListenAddress address, List<FileDescriptor> descriptors) {
    private static final Pattern LINE = Pattern.compile("([A-Z]+) ([0-9]{1,4}) (\\S+)");

    /** Who connects to an address. */
    public enum Role {
        CLIENTS,
        ADMIN,
        PROBES
    }

    public ListeningSockets {
        descriptors = List.copyOf(descriptors);
    }

    /** The sockets of {@code channels}, which native epoll drives. */
    public static ListeningSockets of(
            Role role, ListenAddress address, Collection<? extends Channel> channels) {
        return new ListeningSockets(
                role, address, channels.stream().map(each -> ((UnixChannel) each).fd()).toList());
    }

    /**
     * Registers a listening socket of this address with {@code server}. It accepts nothing until
     * {@link #beginAccepting}. On failure it is closed.
     */
    public Channel adopt(ServerBootstrap server, FileDescriptor descriptor) throws IOException {
        int number = descriptor.intValue();
        boolean isUnix = address instanceof UnixPath;
        var registering =
                server.channelFactory(() ->
                                isUnix
                                        ? new EpollServerDomainSocketChannel(number)
                                        : new EpollServerSocketChannel(number))
                        // Netty adds the acceptor of connections after the registration.
                        .option(ChannelOption.AUTO_READ, false)
                        .register()
                        .awaitUninterruptibly();
        if (!registering.isSuccess()) {
            throw new IOException(
                    "cannot use a listening socket of another process: "
                            + registering.cause().getMessage(),
                    registering.cause());
        }
        return registering.channel();
    }

    /** Accepts connections from now on; until then they wait in the queue of the kernel. */
    public static void beginAccepting(Channel listening) {
        listening.config().setAutoRead(true);
    }

    /** Closes the descriptors from {@code first} on, which no channel uses. */
    public void close(int first) {
        closeAll(descriptors.subList(first, descriptors.size()));
    }

    static void closeAll(List<FileDescriptor> descriptors) {
        for (var each : descriptors) {
            try {
                each.close();
            } catch (IOException gone) {
                // A descriptor is released even if close fails.
            }
        }
    }

    /** The form in which the address is sent, before the descriptors. */
    String line() {
        return role + " " + descriptors.size() + " " + address;
    }

    /** An address whose descriptors follow. */
    record Announcement(Role role, int count, ListenAddress address) {

        /**
         * @throws IllegalArgumentException if {@code line} is malformed
         */
        static Announcement read(String line) {
            var parts = LINE.matcher(line);
            if (!parts.matches()) {
                throw new IllegalArgumentException("malformed announcement");
            }
            return new Announcement(
                    Role.valueOf(parts.group(1)),
                    Integer.parseInt(parts.group(2)),
                    ListenAddress.parse(parts.group(3)));
        }
    }
}
