package dev.quire.proxy.listen;

import io.netty.channel.EventLoop;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The client connections of one loop, looked at twice a second. Confined to the loop. */
final class LoopConnections {
    private static final long CHECK_MILLIS = 500;

    private final Set<ConnectionHandler> open = new LinkedHashSet<>();
    private final AtomicInteger all;
    private boolean isDraining;

    /**
     * @param all counts the connections of all loops
     */
    LoopConnections(EventLoop loop, AtomicInteger all) {
        this.all = all;
        loop.scheduleWithFixedDelay(this::check, CHECK_MILLIS, CHECK_MILLIS, TimeUnit.MILLISECONDS);
    }

    void opened(ConnectionHandler connection) {
        open.add(connection);
        if (isDraining) {
            connection.drain();
        }
    }

    void closed(ConnectionHandler connection) {
        if (open.remove(connection)) {
            all.decrementAndGet();
        }
    }

    void drain() {
        isDraining = true;
        List.copyOf(open).forEach(ConnectionHandler::drain);
    }

    private void check() {
        long now = System.nanoTime();
        for (var connection : List.copyOf(open)) {
            connection.check(now);
        }
    }
}
