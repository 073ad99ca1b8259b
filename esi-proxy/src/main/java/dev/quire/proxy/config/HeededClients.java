package dev.quire.proxy.config;

import dev.quire.core.text.Network;
import java.net.InetAddress;
import java.util.List;

/**
 * The clients whose cache directives are honoured (RFC 9111 §5.2.1).
 *
 * @param mode whether any are
 * @param from the networks of those clients
 */
public record HeededClients(Mode mode, List<Network> from) {

    static final HeededClients DEFAULTS =
            new HeededClients(
                    Mode.IGNORE, List.of(Network.parse("0.0.0.0/0"), Network.parse("::/0")));

    public HeededClients {
        from = List.copyOf(from);
    }

    /** The handling of cache directives in requests. */
    public enum Mode {
        /** Ignored: no client can force requests to the origin. */
        IGNORE,
        /** Honoured for the configured clients. */
        HONOUR
    }

    /** Whether the directives of a client at {@code address} are honoured. */
    public boolean contains(InetAddress address) {
        if (mode == Mode.IGNORE) {
            return false;
        }
        for (var network : from) {
            if (network.contains(address)) {
                return true;
            }
        }
        return false;
    }
}
