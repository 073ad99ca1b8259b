package dev.quire.proxy.tls;

import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

    /** The value of Client-Cert (RFC 9440 §2.1); null if the client has no certificate. */
    public @Nullable String clientCert() {
        if (client.isEmpty()) {
            return null;
        }
        try {
            return ":" + Base64.getEncoder().encodeToString(client.getFirst().getEncoded()) + ":";
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("a received certificate has an encoded form", e);
        }
    }
}
