package dev.quire.test;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Many readers who ask at once. What the application replies is held until all of them are under
 * way, target by target: else the first would be served before the last has come, who then finds it
 * stored, and whoever fetches for each of them would look as if he fetched once for all. Any
 * thread.
 */
final class Stampede {
    /** So long after the last of them has come nobody more is expected. */
    private static final Duration QUIET = Duration.ofMillis(200);

    /** No reply is held longer. */
    private static final Duration LONGEST = Duration.ofSeconds(3);

    private final int readers;
    private final Watch watch = new Watch();

    /** Guarded by the watch, as are the next: readers who have set out. */
    private int underWay;

    /** Readers who have set out and requests that have arrived. */
    private int moves;

    private final Map<String, Integer> arrived = new HashMap<>();
    private final Set<String> released = new HashSet<>();

    Stampede(int readers) {
        this.readers = readers;
    }

    /** One more reader asks now. */
    void setsOut() {
        watch.change(() -> {
            underWay++;
            moves++;
        });
    }

    /** Somebody asks the application for {@code target}. */
    void arrives(String target) {
        watch.change(() -> {
            arrived.merge(target, 1, Integer::sum);
            moves++;
        });
    }

    /**
     * Waits until all readers are under way and nothing more arrives, once for each target, or this
     * thread is interrupted.
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
