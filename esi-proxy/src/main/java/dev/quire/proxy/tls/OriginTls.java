package dev.quire.proxy.tls;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/**
 * How connections to an origin over https are secured.
 *
 * @param authorities of the servers' certificates; empty for those of the system
 * @param serverName the name that is sent to the servers and that their certificates must have;
 *     empty for the host of the URL
 * @param own the certificate of this client
 * @param isVerified whether the certificate of the server is checked
 */
public record OriginTls(
        List<X509Certificate> authorities,
        Optional<String> serverName,
        Optional<KeyPairFiles> own,
        boolean isVerified) {

    public static final OriginTls DEFAULTS =
            new OriginTls(List.of(), Optional.empty(), Optional.empty(), true);

    public OriginTls {
        authorities = List.copyOf(authorities);
    }
}
