package dev.quire.proxy.fetch;

import java.util.LinkedHashSet;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one server whose client takes nothing: at most half of all, then the one that
 * has stalled longest is closed. Thread-safe: guarded by the object's own lock.
 */
final class StalledReaders {
    private final int max;
    private final LinkedHashSet<OriginConnection> stalled = new LinkedHashSet<>();

    /**
     * @param connections maximum number of connections of the server
     */
    StalledReaders(int connections) {
        this.max = Math.max(1, connections / 2);
    }

    void add(OriginConnection connection) {
        var longest = addTo(connection);
        if (longest != null) {
            try {
                longest.loop().execute(longest::cutStalled);
            } catch (RejectedExecutionException e) {
                // A terminated loop has closed its connections.
                return;
            }
        }
    }

    private synchronized @Nullable OriginConnection addTo(OriginConnection connection) {
        stalled.add(connection);
        return stalled.size() > max ? stalled.removeFirst() : null;
    }

    synchronized void remove(OriginConnection connection) {
        stalled.remove(connection);
    }
}
