package dev.quire.proxy.listen;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How many connections each client has open. A client is an IPv4 address, or an IPv6 network of 64
 * bits: one subscriber has that many addresses. Safe for all threads; holds no more entries than
 * there are connections.
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
     * @param most connections of one client; 0 is no limit
     */
    ClientShares(int most) {
        this.most = most;
    }

    /** Counts one more; false, and it does not count, if that is one too many. */
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

    /** One that had been let in is closed. */
    void leave(InetAddress address) {
        if (most > 0) {
            counts.computeIfPresent(
                    Client.of(address), (client, open) -> open == 1 ? null : open - 1);
        }
    }

    /** How many clients have connections. */
    int clients() {
        return counts.size();
    }
}
