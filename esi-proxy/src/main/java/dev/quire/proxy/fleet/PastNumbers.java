package dev.quire.proxy.fleet;

import java.time.Duration;
import java.util.ArrayDeque;

/** The newest invalidation of this node a while ago. Confined to the loop, except where noted. */
final class PastNumbers {
    private static final Duration STEP = Duration.ofMinutes(1);

    private final ArrayDeque<Past> all = new ArrayDeque<>();
    private final Duration ago;
    private volatile long number;

    private record Past(long ticks, long number) {}

    /**
     * @param first a number that is not after that invalidation
     */
    PastNumbers(Duration ago, long first) {
        this.ago = ago;
        this.number = first;
    }

    /** The number of that invalidation, or one before it. Thread-safe. */
    long number() {
        return number;
    }

    void note(long ticks, long newest) {
        if (all.isEmpty() || ticks - all.getLast().ticks() >= STEP.toNanos()) {
            all.add(new Past(ticks, newest));
        }
        while (!all.isEmpty() && ticks - all.getFirst().ticks() > ago.toNanos()) {
            number = all.removeFirst().number();
        }
    }
}
