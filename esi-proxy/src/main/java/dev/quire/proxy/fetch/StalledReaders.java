package dev.quire.proxy.fetch;

import dev.quire.core.http.ClientNetwork;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one server whose client takes nothing: at most half of all, then one of the
 * client with the most of them is closed, the one that has stalled longest. Thread-safe: guarded by
 * the object's own lock.
 */
final class StalledReaders {
    private final int max;
    private final LinkedHashMap<OriginConnection, ClientNetwork> stalled = new LinkedHashMap<>();

    /**
     * @param connections maximum number of connections of the server
     */
    StalledReaders(int connections) {
        this.max = Math.max(1, connections / 2);
    }

    void add(OriginConnection connection, ClientNetwork client) {
        var longest = addTo(connection, client);
        if (longest != null) {
            try {
                longest.loop().execute(longest::cutStalled);
            } catch (RejectedExecutionException e) {
                // A terminated loop has closed its connections.
                return;
            }
        }
    }

    private synchronized @Nullable OriginConnection addTo(
            OriginConnection connection, ClientNetwork client) {
        stalled.put(connection, client);
        if (stalled.size() <= max) {
            return null;
        }
        var counts = new HashMap<ClientNetwork, Integer>();
        stalled.values().forEach(each -> counts.merge(each, 1, Integer::sum));
        OriginConnection longest = null;
        int most = 0;
        for (var each : stalled.entrySet()) {
            int count = counts.getOrDefault(each.getValue(), 0);
            if (count > most) {
                most = count;
                longest = each.getKey();
            }
        }
        stalled.remove(longest);
        return longest;
    }

    synchronized void remove(OriginConnection connection) {
        stalled.remove(connection);
    }
}
