package dev.quire.proxy.config;

import dev.quire.core.http.Scheme;
import dev.quire.core.text.Network;
import java.net.InetAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * An address on which clients are served.
 *
 * @param key of the address in the configuration, such as {@code listen.https}
 * @param address port 0 picks a free port
 * @param isTls whether its connections begin with a TLS handshake
 * @param protocols at least one
 * @param proxies peers whose connections begin with a header of the PROXY protocol
 */
public record ClientAddress(
        String key,
        ListenAddress address,
        boolean isTls,
        Set<ListenProtocol> protocols,
        List<Network> proxies) {

    /** The key of the address without TLS. */
    public static final String HTTP = "listen.http";

    /** The key of the address with TLS. */
    public static final String HTTPS = "listen.https";

    /** The key of all further addresses. */
    public static final String ALSO = "listen.also";

    public ClientAddress {
        if (protocols.isEmpty()) {
            throw new IllegalArgumentException("expected a protocol");
        }
        protocols = Set.copyOf(protocols);
        proxies = List.copyOf(proxies);
    }

    /** With the default protocols, and without the PROXY protocol. */
    public ClientAddress(String key, ListenAddress address, boolean isTls) {
        this(key, address, isTls, defaultProtocols(isTls), List.of());
    }

    static Set<ListenProtocol> defaultProtocols(boolean isTls) {
        return isTls
                ? EnumSet.of(ListenProtocol.HTTP1, ListenProtocol.H2)
                : EnumSet.of(ListenProtocol.HTTP1);
    }

    /** The scheme of the requests received there. */
    public Scheme scheme() {
        return isTls ? Scheme.HTTPS : Scheme.HTTP;
    }

    /** The last part of its key. */
    public String name() {
        return key.substring(key.lastIndexOf('.') + 1);
    }

    /** Whether a connection from {@code peer} begins with a header of the PROXY protocol. */
    public boolean isProxy(InetAddress peer) {
        for (var network : proxies) {
            if (network.contains(peer)) {
                return true;
            }
        }
        return false;
    }
}
