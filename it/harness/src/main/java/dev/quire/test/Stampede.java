package dev.quire.test;

import dev.quire.test.wire.internal.Watch;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Many simultaneous readers. The application's replies are held for each target until the requests
 * of all readers are in flight. Otherwise the first reader would be served before the last one
 * arrives, who would find a stored response, and an assembler that does not coalesce would appear
 * to do so. Thread-safe.
 */
final class Stampede {
    /** Time without a new request after which no more are expected. */
    private static final Duration QUIET = Duration.ofMillis(200);

    private static final Duration LONGEST = Duration.ofSeconds(3);

    private final int readers;
    private final Watch watch = new Watch();

    /** Guarded by the watch, as are the next fields: readers that have started. */
    private int underWay;

    /** Readers that have started plus requests that have arrived. */
    private int moves;

    private final Map<String, Integer> arrived = new HashMap<>();
    private final Set<String> released = new HashSet<>();

    Stampede(int readers) {
        this.readers = readers;
    }

    void setsOut() {
        watch.change(() -> {
            underWay++;
            moves++;
        });
    }

    void arrives(String target) {
        watch.change(() -> {
            arrived.merge(target, 1, Integer::sum);
            moves++;
        });
    }

    /**
     * Waits until all readers have started and no more requests arrive, once for each target, or
     * until this thread is interrupted.
     */
    void hold(String target) {
        long end = System.nanoTime() + LONGEST.toNanos();
        while (!watch.read(() -> isReleased(target)) && !Thread.currentThread().isInterrupted()) {
            int before = watch.read(() -> moves);
            long left = end - System.nanoTime();
            BooleanSupplier moved = () -> moves != before || isReleased(target);
            boolean goesOn =
                    watch.awaitWhileWanted(
                            Duration.ofNanos(Math.min(left, QUIET.toNanos())), moved);
            boolean isQuiet = !goesOn && watch.read(() -> underWay >= readers);
            if (isQuiet || left <= 0) {
                watch.change(() -> released.add(target));
            }
        }
    }

    private boolean isReleased(String target) {
        return released.contains(target) || arrived.getOrDefault(target, 0) >= readers;
    }
}
