package dev.quire.proxy.fetch;

import dev.quire.core.http.ClientNetwork;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The share of a server's connections for requests whose body is still being received: half, so
 * that slow uploads leave connections to others. One client takes neither all of it nor all of its
 * queue. Thread-safe: all state is guarded by the object's own lock, which is not held during
 * callbacks.
 */
final class UploadShare {

    /** A queued request. */
    interface Waiter {
        /** The loop of the request. */
        EventLoop loop();

        ClientNetwork client();

        /** Runs on its loop; the waiter is now counted. */
        void uploadPermitted(UploadShare from);
    }

    private final FairPlaces places;
    private final FairPlaces queue;
    private final ArrayDeque<Waiter> line = new ArrayDeque<>();

    /**
     * @param connections maximum number of connections of the server
     * @param maxQueue maximum number of queued requests
     */
    UploadShare(int connections, int maxQueue) {
        this.places = new FairPlaces(Math.max(1, connections / 2));
        this.queue = new FairPlaces(maxQueue);
    }

    synchronized boolean tryTake(ClientNetwork client) {
        return places.tryTake(client);
    }

    /** Queues {@code waiter}, or counts and calls it if possible. Returns false if full. */
    boolean enqueue(Waiter waiter) {
        synchronized (this) {
            if (!queue.tryTake(waiter.client())) {
                return false;
            }
            line.add(waiter);
        }
        // A place may have become free since the waiter asked for one.
        giveFreed();
        return true;
    }

    /** Removes {@code waiter} from the queue; no effect if it has already been called. */
    synchronized void withdraw(Waiter waiter) {
        if (line.remove(waiter)) {
            queue.give(waiter.client());
        }
    }

    /** Ends one upload of {@code client}; the oldest waiter that may take its place does. */
    void give(ClientNetwork client) {
        synchronized (this) {
            places.give(client);
        }
        giveFreed();
    }

    private void giveFreed() {
        for (var next = next(); next != null; next = next()) {
            var called = next;
            try {
                called.loop().execute(() -> called.uploadPermitted(this));
            } catch (RejectedExecutionException e) {
                // Its loop has terminated.
                synchronized (this) {
                    places.give(called.client());
                }
            }
        }
    }

    private synchronized @Nullable Waiter next() {
        for (var waiters = line.iterator(); waiters.hasNext(); ) {
            var waiter = waiters.next();
            if (places.tryTake(waiter.client())) {
                waiters.remove();
                queue.give(waiter.client());
                return waiter;
            }
        }
        return null;
    }
}
