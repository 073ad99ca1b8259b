package dev.quire.proxy.listen;

import io.netty.channel.Channel;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The TLS handshakes in progress on one loop. If there are too many, the oldest gives way: that of
 * a client that goes on ends within a second. Confined to the loop.
 */
final class Handshakes {
    /** A tenth of a second of one processor's time. */
    static final int MAX = 1_000;

    private final LinkedHashMap<Channel, InetAddress> open = new LinkedHashMap<>();

    /** Adds the handshake of {@code client}; returns the one that must end for it, if any. */
    Map.@Nullable Entry<Channel, InetAddress> enter(Channel client, InetAddress address) {
        open.put(client, address);
        return open.size() > MAX ? open.pollFirstEntry() : null;
    }

    void leave(Channel client) {
        open.remove(client);
    }

    /** Ends all: their clients have not sent a request. */
    void close() {
        List.copyOf(open.keySet()).forEach(Channel::close);
    }
}
