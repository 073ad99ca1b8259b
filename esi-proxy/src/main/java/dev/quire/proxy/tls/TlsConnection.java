package dev.quire.proxy.tls;

import java.security.cert.X509Certificate;
import java.util.List;

/**
 * The TLS of a client's connection, once its handshake is complete.
 *
 * @param version such as {@code TLSv1.3}
 * @param protocol the application protocol, such as {@code h2}; empty if none was agreed
 * @param client the client's certificate and its chain; empty if it has none
 */
public record TlsConnection(
        TlsIdentity identity, String version, String protocol, List<X509Certificate> client) {

    public TlsConnection {
        client = List.copyOf(client);
    }
}
