package dev.quire.proxy.listen;

import dev.quire.proxy.exchange.ClientNetwork;
import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Counts the open connections of each client. Thread-safe. At most one entry per connection. */
final class ClientShares {
    private final int most;
    private final ConcurrentMap<ClientNetwork, Integer> counts = new ConcurrentHashMap<>();

    /**
     * @param most connections of one client; 0 for no limit
     */
    ClientShares(int most) {
        this.most = most;
    }

    /** Counts a connection; returns false, and does not count it, if the limit is exceeded. */
    boolean enter(InetAddress address) {
        if (most == 0) {
            return true;
        }
        int[] count = new int[1];
        counts.compute(
                ClientNetwork.of(address),
                (client, open) -> {
                    int before = open == null ? 0 : open;
                    count[0] = before + 1;
                    return Math.min(before + 1, most);
                });
        return count[0] <= most;
    }

    /** Uncounts a connection for which {@link #enter} returned true. */
    void leave(InetAddress address) {
        if (most > 0) {
            counts.computeIfPresent(
                    ClientNetwork.of(address), (client, open) -> open == 1 ? null : open - 1);
        }
    }

    int clients() {
        return counts.size();
    }
}
