package dev.quire.proxy.listen;

import dev.quire.core.http.Scheme;
import dev.quire.proxy.tls.TlsConnection;
import java.net.InetAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The facts of a client's connection before its first request.
 *
 * @param remote the address of the client, which a header of the PROXY protocol may have named
 * @param scheme of its requests
 * @param tlsClaimedBy the peer whose header says that the client uses TLS; null if none does
 * @param tls null without TLS to this listener
 */
record Arrival(
        SocketAddress remote,
        Scheme scheme,
        @Nullable InetAddress tlsClaimedBy,
        @Nullable TlsConnection tls) {

    /** Without a header of the PROXY protocol, and without TLS. */
    Arrival(SocketAddress remote, Scheme scheme) {
        this(remote, scheme, null, null);
    }

    /** Returns the same with TLS. */
    Arrival with(TlsConnection agreed) {
        return new Arrival(remote, scheme, tlsClaimedBy, agreed);
    }

    /** Returns the connection behind {@code header} of {@code peer}. */
    Arrival behind(ProxyHeader header, InetAddress peer, boolean isTrusted) {
        var named = header.client() == null ? remote : header.client();
        var said = header.isTls() && isTrusted ? Scheme.HTTPS : scheme;
        return new Arrival(named, said, header.isTls() ? peer : null, tls);
    }

    /** The name of HTTP/2 in TLS (RFC 9113 §3.2). */
    static final String HTTP_2 = "h2";

    /** Whether client and listener have agreed on HTTP/2. */
    boolean speaksHttp2() {
        return tls != null && tls.protocol().equals(HTTP_2);
    }

    /** The client's certificate as the value of Client-Cert; null if it has none. */
    @Nullable String certificate() {
        return tls == null ? null : tls.clientCert();
    }

    /**
     * Whether the certificate of the connection is for the host of {@code authority} (RFC 9110
     * §7.4). Always true without TLS.
     */
    boolean covers(String authority) {
        return tls == null || tls.identity().covers(Authority.hostWithoutDot(authority));
    }
}
