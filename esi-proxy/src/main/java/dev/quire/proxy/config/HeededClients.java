package dev.quire.proxy.config;

import java.net.InetAddress;
import java.util.List;

/**
 * Whose cache directives are heard (RFC 9111 §5.2.1).
 *
 * @param mode whether any are
 * @param from where such clients must come from
 */
public record HeededClients(Mode mode, List<Network> from) {

    static final HeededClients DEFAULTS =
            new HeededClients(
                    Mode.IGNORE, List.of(Network.parse("0.0.0.0/0"), Network.parse("::/0")));

    public HeededClients {
        from = List.copyOf(from);
    }

    /** What is done with the cache directives of requests. */
    public enum Mode {
        /** Nothing: no client can drive the origin. */
        IGNORE,
        /** They are obeyed, of the clients that are named. */
        HONOUR
    }

    /** Whether a client at {@code address} is heard. */
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
