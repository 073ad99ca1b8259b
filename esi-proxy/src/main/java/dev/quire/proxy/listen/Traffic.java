package dev.quire.proxy.listen;

import java.util.concurrent.atomic.LongAdder;

/** Counts the bytes of all client connections, heads and framing included. Thread-safe. */
final class Traffic {
    private final LongAdder received = new LongAdder();
    private final LongAdder sent = new LongAdder();

    void received(long bytes) {
        received.add(bytes);
    }

    void sent(long bytes) {
        sent.add(bytes);
    }

    long received() {
        return received.sum();
    }

    long sent() {
        return sent.sum();
    }
}
