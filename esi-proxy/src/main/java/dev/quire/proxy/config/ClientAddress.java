package dev.quire.proxy.config;

import dev.quire.core.http.Scheme;

/**
 * An address on which clients are served.
 *
 * @param key of the address in the configuration, such as {@code listen.https}
 * @param address port 0 picks a free port
 * @param isTls whether its connections begin with a TLS handshake
 */
public record ClientAddress(String key, HostPort address, boolean isTls) {

    /** The key of the address without TLS. */
    public static final String HTTP = "listen.http";

    /** The key of the address with TLS. */
    public static final String HTTPS = "listen.https";

    /** The scheme of the requests received there. */
    public Scheme scheme() {
        return isTls ? Scheme.HTTPS : Scheme.HTTP;
    }

    /** The last part of its key. */
    public String name() {
        return key.substring(key.lastIndexOf('.') + 1);
    }
}
