package dev.quire.proxy.listen;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the bytes of the client connections of one loop, heads and framing included. Any thread
 * may read; only the loop counts, so that it needs no atomic addition.
 */
final class Traffic {
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();

    void received(long bytes) {
        add(received, bytes);
    }

    void sent(long bytes) {
        add(sent, bytes);
    }

    long received() {
        return received.get();
    }

    long sent() {
        return sent.get();
    }

    private static void add(AtomicLong to, long bytes) {
        to.setRelease(to.getPlain() + bytes);
    }
}
