package dev.quire.proxy.listen;

import dev.quire.proxy.config.LimitsConfig;
import dev.quire.proxy.config.Listen;
import dev.quire.proxy.exchange.ClientTrust;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.RequestId;
import dev.quire.proxy.listen.Incoming.Refused;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The rules for the client connections of a listener.
 *
 * @param settings those of the configuration
 * @param limits of request heads
 * @param defaultHost the authority of requests of HTTP/1.0 without Host
 * @param invalidates whether this method, PURGE or BAN, is answered
 * @param maxConnections open at the same time, over all loops; further ones are closed on accept
 * @param trust which of the clients' claims are believed
 * @param wall the time of day
 * @param events counts and logs refusals
 */
record ConnectionRules(
        Listen settings,
        LimitsConfig limits,
        Supplier<Optional<String>> defaultHost,
        Predicate<String> invalidates,
        int maxConnections,
        ClientTrust trust,
        Supplier<Instant> wall,
        ListenEvents events) {

    /** How long a connection may be idle between requests; 0 closes it after each response. */
    long keepAliveNanos() {
        return settings.keepAlive().toNanos();
    }

    /** The time limit for a client's first byte, and again for a complete request head. */
    long headNanos() {
        return TimeUnit.SECONDS.toNanos(10);
    }

    /** How far a request body may lag behind {@link #nanosOfBodyByte}. */
    long bodyGraceNanos() {
        return TimeUnit.SECONDS.toNanos(10);
    }

    /** The average time allowed per byte of a request body: 1 KiB per second. */
    long nanosOfBodyByte() {
        return TimeUnit.SECONDS.toNanos(1) / 1024;
    }

    /** How long a client may read nothing of its response. */
    long writeStallNanos() {
        return TimeUnit.SECONDS.toNanos(30);
    }

    /** Reports bytes behind the request for a tunnel of {@code asking}, if that is known. */
    void reportEarly(@Nullable Exchange asking, Exchange.Peer peer) {
        var request =
                asking == null
                        ? RefusedRequest.UNKNOWN
                        : new RefusedRequest(asking.request(), "HTTP/1.1");
        report(
                new Refused(RefusalReason.EARLY_TUNNEL_BYTES, "", true, request),
                asking == null ? RequestId.create() : asking.id(),
                peer,
                new Refusal.Response(0, 0, 0));
    }

    /** Reports a refused request with the id that its response shows. */
    void report(Refused refused, RequestId id, Exchange.Peer peer, Refusal.Response response) {
        var head = refused.request().head();
        events.refused(
                new Refusal(
                        refused.reason(),
                        refused.offender(),
                        head,
                        refused.request().protocol(),
                        id,
                        trust.client(head, peer.address()),
                        response));
    }

    Exchange.Peer peer(Arrival arrival) {
        return peer(arrival.remote()).with(arrival.certificate(), arrival.tlsClaimedBy());
    }

    Exchange.Peer peer(SocketAddress remote) {
        return remote instanceof InetSocketAddress inet
                ? Exchange.Peer.of(inet.getAddress(), inet.getPort(), trust)
                : Exchange.Peer.of(InetAddress.getLoopbackAddress(), 0, trust);
    }
}
