package dev.quire.proxy.fetch;

import java.util.concurrent.atomic.AtomicInteger;

/** The number of servers of one origin whose circuit is closed. Thread-safe. */
final class ClosedCircuits {
    private final AtomicInteger count;

    /**
     * @param servers the servers of the origin; all circuits are closed at first
     */
    ClosedCircuits(int servers) {
        this.count = new AtomicInteger(servers);
    }

    boolean isAny() {
        return count.get() > 0;
    }

    /** Counts one circuit less unless it is the last closed one. Returns whether it was counted. */
    boolean openUnlessLast() {
        return count.getAndUpdate(closed -> closed > 1 ? closed - 1 : closed) > 1;
    }

    void opened() {
        count.decrementAndGet();
    }

    void closed() {
        count.incrementAndGet();
    }
}
