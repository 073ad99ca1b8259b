package dev.quire.proxy.fetch;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one loop that carry no request, the one used last in front. Only on that loop,
 * but for what says otherwise.
 */
final class IdleConnections {
    private final EventLoop loop;
    private final Permits permits;
    private final ArrayDeque<OriginConnection> idle = new ArrayDeque<>();
    // Written on the loop; other loops look at it for one to close.
    private volatile int count;
    private final AtomicInteger claimed = new AtomicInteger();
    private boolean closed;

    IdleConnections(EventLoop loop, Permits permits) {
        this.loop = loop;
        this.permits = permits;
    }

    /** The connection used last, now the caller's; null if there is none. */
    @Nullable OriginConnection take() {
        var connection = idle.pollFirst();
        count = idle.size();
        return connection;
    }

    /**
     * Takes over a connection that is ready for the next request: for whoever waits, or to keep.
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
        while (!idle.isEmpty()) {
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

    /** The connection has closed by itself. */
    void remove(OriginConnection connection) {
        idle.remove(connection);
        count = idle.size();
    }

    /**
     * Reserves an idle connection for {@link #closeClaimed}. Any thread, under the permits' lock.
     */
    boolean claim() {
        if (count <= claimed.get()) {
            return false;
        }
        claimed.incrementAndGet();
        return true;
    }

    /** Closes one idle connection, if one is still there, after a {@link #claim}. Any thread. */
    void closeClaimed() {
        try {
            loop.execute(() -> {
                claimed.decrementAndGet();
                closeOldest();
            });
        } catch (RejectedExecutionException e) {
            // The loop has ended and closes its connections itself.
            claimed.decrementAndGet();
        }
    }

    /** Closes all of them, and from now on every one that is put. */
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

    /** How many there are. Any thread. */
    int count() {
        return count;
    }
}
