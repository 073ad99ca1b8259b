package dev.quire.proxy.listen;

import dev.quire.core.http.Scheme;
import dev.quire.proxy.config.ClientAddress;
import dev.quire.proxy.config.ListenProtocol;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a connection is served: as its port was configured when it was accepted.
 *
 * @param settings null for connections that no port has accepted
 */
record PortService(
        Listener.Port port,
        @Nullable ClientAddress settings,
        Scheme scheme,
        boolean isTls,
        Set<ListenProtocol> protocols) {

    static PortService of(Listener.Port port, ClientAddress settings) {
        return new PortService(
                port, settings, settings.scheme(), settings.isTls(), settings.protocols());
    }

    /** For connections that no port has accepted. */
    static PortService unaccepted(Listener.Port port, Scheme scheme, boolean isH2c) {
        var protocols = EnumSet.of(ListenProtocol.HTTP1);
        if (isH2c) {
            protocols.add(ListenProtocol.H2C);
        }
        return new PortService(port, null, scheme, false, protocols);
    }

    /** Whether the address has got or lost TLS since. */
    boolean isOutdated() {
        return isTls != port.service().isTls();
    }

    boolean has(ListenProtocol protocol) {
        return protocols.contains(protocol);
    }

    /** The names of its protocols in TLS, the preferred one first. */
    List<String> tlsProtocols() {
        var names = new ArrayList<String>(2);
        if (has(ListenProtocol.H2)) {
            names.add(Arrival.HTTP_2);
        }
        if (has(ListenProtocol.HTTP1)) {
            names.add("http/1.1");
        }
        return names;
    }
}
