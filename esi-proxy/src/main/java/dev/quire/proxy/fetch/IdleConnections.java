package dev.quire.proxy.fetch;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The idle connections of one loop, the most recently used first. Confined to that loop unless
 * stated otherwise.
 */
final class IdleConnections {
    private final EventLoop loop;
    private final Permits permits;
    private final ArrayDeque<OriginConnection> idle = new ArrayDeque<>();
    // Written on the loop; read by other loops that look for a connection to close.
    private volatile int count;
    private final AtomicInteger claimed = new AtomicInteger();
    private boolean closed;

    IdleConnections(EventLoop loop, Permits permits) {
        this.loop = loop;
        this.permits = permits;
    }

    StalledReaders stalled() {
        return permits.stalled();
    }

    /** Releases the permit of a connection. Thread-safe. */
    void releasePermit() {
        permits.release();
    }

    /** Returns the most recently used usable connection, now owned by the caller, or null. */
    @Nullable OriginConnection take() {
        closeUnusable();
        var connection = idle.pollFirst();
        count = idle.size();
        return connection;
    }

    /** Closes the most recently used connections up to the first usable one. */
    private void closeUnusable() {
        for (var first = idle.peekFirst();
                first != null && !first.isUsable();
                first = idle.peekFirst()) {
            remove(first);
            first.close();
        }
    }

    /**
     * Takes over a connection that is ready for the next request, for a waiting request or as idle.
     */
    void put(OriginConnection connection) {
        if (closed) {
            connection.close();
            return;
        }
        idle.addFirst(connection);
        count = idle.size();
        if (permits.anyWaiting()) {
            serveLine();
        }
    }

    private void serveLine() {
        // A waiter that has left the queue must get a usable connection: it would lose its place.
        for (closeUnusable(); !idle.isEmpty(); closeUnusable()) {
            switch (permits.useOf(loop)) {
                case Permits.Use.Keep keep -> {
                    return;
                }
                case Permits.Use.Serve(var waiter) -> {
                    var connection = idle.removeFirst();
                    count = idle.size();
                    waiter.offered(connection);
                }
                case Permits.Use.Yield yield -> closeOldest();
            }
        }
    }

    /** Removes a connection that was closed. */
    void remove(OriginConnection connection) {
        idle.remove(connection);
        count = idle.size();
    }

    /** Reserves an idle connection for {@link #closeClaimed}. Called under the permits' lock. */
    boolean claim() {
        if (count <= claimed.get()) {
            return false;
        }
        claimed.incrementAndGet();
        return true;
    }

    /** Closes one idle connection after a {@link #claim}, if there still is one. Thread-safe. */
    void closeClaimed() {
        try {
            loop.execute(() -> {
                claimed.decrementAndGet();
                closeOldest();
            });
        } catch (RejectedExecutionException e) {
            // The loop has terminated and closes its connections itself.
            claimed.decrementAndGet();
        }
    }

    /** Closes all connections, now and whenever one is put. */
    void close() {
        closed = true;
        while (!idle.isEmpty()) {
            closeOldest();
        }
    }

    private void closeOldest() {
        var connection = idle.pollLast();
        count = idle.size();
        if (connection != null) {
            connection.close();
        }
    }

    /** The number of idle connections. Thread-safe. */
    int count() {
        return count;
    }
}
