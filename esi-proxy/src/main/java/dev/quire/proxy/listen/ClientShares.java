package dev.quire.proxy.listen;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Counts the open connections of each client. A client is an IPv4 address, or an IPv6 /64 network,
 * since one subscriber has that many addresses. Thread-safe. Has at most one entry per connection.
 */
final class ClientShares {
    private final int most;
    private final ConcurrentMap<Client, Integer> counts = new ConcurrentHashMap<>();

    private record Client(boolean isIpv6, long prefix) {

        static Client of(InetAddress address) {
            var bytes = ByteBuffer.wrap(address.getAddress());
            return address instanceof Inet6Address
                    ? new Client(true, bytes.getLong())
                    : new Client(false, bytes.getInt());
        }
    }

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
                Client.of(address),
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
                    Client.of(address), (client, open) -> open == 1 ? null : open - 1);
        }
    }

    int clients() {
        return counts.size();
    }
}
