package dev.quire.proxy.fetch;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The share of a server's connections for requests whose body is still being received: half, so
 * that slow uploads leave connections to others. Thread-safe: all state is guarded by the object's
 * own lock, which is not held during callbacks.
 */
final class UploadShare {

    /** A queued request. */
    interface Waiter {
        /** The loop of the request. */
        EventLoop loop();

        /** Runs on its loop; the waiter is now counted. */
        void uploadPermitted(UploadShare from);
    }

    private final int max;
    private final int maxQueue;
    private final ArrayDeque<Waiter> line = new ArrayDeque<>();
    private int taken;

    /**
     * @param connections maximum number of connections of the server
     * @param maxQueue maximum number of queued requests
     */
    UploadShare(int connections, int maxQueue) {
        this.max = Math.max(1, connections / 2);
        this.maxQueue = maxQueue;
    }

    synchronized boolean tryTake() {
        if (taken >= max) {
            return false;
        }
        taken++;
        return true;
    }

    /** Queues {@code waiter}, or counts and calls it if possible. Returns false if full. */
    boolean enqueue(Waiter waiter) {
        synchronized (this) {
            if (taken >= max && line.size() >= maxQueue) {
                return false;
            }
            line.add(waiter);
        }
        giveFreed();
        return true;
    }

    /** Removes {@code waiter} from the queue; no effect if it has already been called. */
    synchronized void withdraw(Waiter waiter) {
        line.remove(waiter);
    }

    /** Ends one upload; the oldest waiter takes its place. */
    void give() {
        synchronized (this) {
            taken--;
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
                    taken--;
                }
            }
        }
    }

    private synchronized @Nullable Waiter next() {
        if (taken >= max || line.isEmpty()) {
            return null;
        }
        taken++;
        return line.remove();
    }
}
