package dev.quire.bench.simulation;

import java.util.PriorityQueue;

/** Virtual time, in nanoseconds from 0, and what happens at its moments. */
final class Timeline {

    private record Event(long time, long number, Runnable action) {}

    private final PriorityQueue<Event> events =
            new PriorityQueue<>((a, b) ->
                    a.time() == b.time()
                            ? Long.compare(a.number(), b.number())
                            : Long.compare(a.time(), b.time()));

    private long now;
    private long numbers;

    long now() {
        return now;
    }

    /** Does {@code action} at {@code time}; those of one moment in the order of these calls. */
    void at(long time, Runnable action) {
        events.add(new Event(Math.max(now, time), numbers++, action));
    }

    void after(long nanos, Runnable action) {
        at(now + nanos, action);
    }

    /** Goes on until nothing happens any more. */
    void run() {
        for (var next = events.poll(); next != null; next = events.poll()) {
            now = next.time();
            next.action().run();
        }
    }
}
