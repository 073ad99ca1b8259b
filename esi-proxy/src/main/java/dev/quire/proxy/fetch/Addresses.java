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

/** Where a server can be reached. Any loop may ask; none ever waits. */
interface Addresses {

    /** Calls {@code answer} once on {@code loop}, perhaps before it returns. */
    void find(EventLoop loop, Answer answer);

    /** A connection to {@code address} stands. */
    default void worked(SocketAddress address) {}

    /**
     * There is no connection to {@code address}: others are to be tried before it for a while.
     *
     * @param now by the ticker of the loops, in nanoseconds
     */
    default void failed(SocketAddress address, long now) {}

    /** Nobody asks any more. Any thread. */
    default void close() {}

    /** Takes what was found. */
    interface Answer {
        /** At least one address, the one to try first in front. */
        void found(List<SocketAddress> addresses);

        /** There is none; {@code detail} says why, for the log. */
        void notFound(String detail);
    }

    /** Those of {@code host}: itself if it is an address, else those name servers know. */
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

    /** That one and no other. */
    static Addresses only(SocketAddress address) {
        var addresses = List.of(address);
        return (loop, answer) -> answer.found(addresses);
    }
}
