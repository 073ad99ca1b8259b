package dev.quire.proxy.listen;

import dev.quire.proxy.exchange.Exchange;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What holds for every client connection of a listener.
 *
 * @param keepAliveNanos how long a connection may be quiet between requests; 0 closes it after each
 *     answer
 * @param maxConnections open at one time, over all loops; one more is closed as it comes
 * @param shares of single clients
 * @param wall the time of day
 */
record ConnectionRules(
        long keepAliveNanos,
        int maxConnections,
        ClientShares shares,
        ClientFields fields,
        Supplier<Instant> wall,
        ListenEvents events) {

    /** How long a client may take for its first byte, and again for a whole request head. */
    long headNanos() {
        return TimeUnit.SECONDS.toNanos(10);
    }

    /** How far a request body may fall behind {@link #nanosOfBodyByte}. */
    long bodyGraceNanos() {
        return TimeUnit.SECONDS.toNanos(10);
    }

    /** The time a byte of a request body may take on average: 1 KiB a second. */
    long nanosOfBodyByte() {
        return TimeUnit.SECONDS.toNanos(1) / 1024;
    }

    /** How long a client may take nothing of its answer. */
    long writeStallNanos() {
        return TimeUnit.SECONDS.toNanos(30);
    }

    Exchange.ForwardedFields forwarding() {
        return fields::up;
    }

    Exchange.Peer peer(SocketAddress remote) {
        if (remote instanceof InetSocketAddress inet) {
            return peer(inet.getAddress(), inet.getPort());
        }
        return peer(InetAddress.getLoopbackAddress(), 0);
    }

    private Exchange.Peer peer(InetAddress address, int port) {
        return new Exchange.Peer(address, port, fields.trusts(address));
    }
}
