package dev.quire.proxy.path;

import java.util.concurrent.atomic.LongAdder;

/** Counts responses that go on without the parts that began them. Thread-safe. */
final class Streams {

    // Both only grow, as the counters of the parts do.
    private final LongAdder begun = new LongAdder();
    private final LongAdder ended = new LongAdder();

    void begin() {
        begun.increment();
    }

    void end() {
        ended.increment();
    }

    long open() {
        long over = ended.sum();
        return begun.sum() - over;
    }
}
