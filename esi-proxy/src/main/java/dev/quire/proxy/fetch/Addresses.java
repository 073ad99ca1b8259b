package dev.quire.proxy.fetch;

import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.List;

/** The addresses of a server. Any loop may call it; no call blocks. */
interface Addresses {

    /**
     * Looks up the addresses and calls {@code answer} once on {@code loop}, possibly before this
     * call returns.
     */
    void find(EventLoop loop, Answer answer);

    /** Reports that a connection to {@code address} succeeded. */
    default void worked(SocketAddress address) {}

    /**
     * Reports that connecting to {@code address} failed: for a while it comes last in the order.
     *
     * @param now the loops' ticker, in nanoseconds
     */
    default void failed(SocketAddress address, long now) {}

    /** Stops looking up addresses. Thread-safe. */
    default void close() {}

    /** Receives the result. */
    interface Answer {
        /** At least one address, in the order in which to try them. */
        void found(List<SocketAddress> addresses);

        /** There is no address; {@code detail} is the reason, for the log. */
        void notFound(String detail);
    }

    /**
     * The addresses of {@code host}: the host itself if it is an IP address, otherwise from DNS.
     */
    static Addresses of(
            String host,
            int port,
            Class<? extends SocketChannel> channels,
            Class<? extends DatagramChannel> datagrams) {
        byte[] literal = NetUtil.createByteArrayFromIpAddressString(host);
        if (literal == null) {
            return new NamedAddresses(host, port, new DnsLookup(host, channels, datagrams));
        }
        try {
            return only(new InetSocketAddress(InetAddress.getByAddress(literal), port));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("expected an IP address of 4 or 16 bytes: " + host, e);
        }
    }

    static Addresses only(SocketAddress address) {
        var addresses = List.of(address);
        return (loop, answer) -> answer.found(addresses);
    }
}
