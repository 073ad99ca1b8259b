package dev.quire.proxy.listen;

import dev.quire.core.http.ClientNetwork;
import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Counts the open connections of each client. Thread-safe. At most one entry per connection. */
final class ClientShares {
    private final ConcurrentMap<ClientNetwork, Integer> counts = new ConcurrentHashMap<>();

    /**
     * Counts a connection; returns false, and does not count it, if it is one too many.
     *
     * @param most connections of one client, at least one
     */
    boolean enter(InetAddress address, int most) {
        boolean[] isCounted = new boolean[1];
        counts.compute(
                ClientNetwork.of(address),
                (client, open) -> {
                    int before = open == null ? 0 : open;
                    isCounted[0] = before < most;
                    return isCounted[0] ? Integer.valueOf(before + 1) : open;
                });
        return isCounted[0];
    }

    /** Uncounts a connection for which {@link #enter} returned true. */
    void leave(InetAddress address) {
        counts.computeIfPresent(
                ClientNetwork.of(address), (client, open) -> open == 1 ? null : open - 1);
    }

    int clients() {
        return counts.size();
    }
}
