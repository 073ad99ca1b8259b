package dev.quire.proxy.path;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many long bodies are decoded or compressed at a time. Work on the same object, such as
 * a cache key, is done one after the other: later callers mostly find the result. Thread-safe;
 * blocks, so never called on an event loop.
 */
public final class LongWork {
    private final Lock[] places;

    /**
     * @param places how much is done at a time, at most
     */
    LongWork(int places) {
        this.places = Stream.generate(ReentrantLock::new).limit(places).toArray(Lock[]::new);
    }

    /** Uses half of the processors; the event loops need the others. */
    static LongWork ofThisMachine() {
        return new LongWork(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
    }

    /** Returns the result of {@code work} on {@code of}. */
    <T extends @Nullable Object> T inTurn(Object of, Supplier<T> work) {
        var place = placeOf(of);
        place.lock();
        try {
            return work.get();
        } finally {
            place.unlock();
        }
    }

    /** Like {@link #inTurn}, but returns null if {@code work} cannot begin within {@code wait}. */
    <T> @Nullable T inTurn(Object of, Duration wait, Supplier<@Nullable T> work) {
        var place = placeOf(of);
        try {
            if (!place.tryLock(wait.toNanos(), TimeUnit.NANOSECONDS)) {
                return null;
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return null;
        }
        try {
            return work.get();
        } finally {
            place.unlock();
        }
    }

    /** Returns an executor that runs each task by {@code aside} when there is a place for it. */
    Executor limiting(Executor aside) {
        return task ->
                aside.execute(() -> {
                    var place = placeOf(task);
                    place.lock();
                    try {
                        task.run();
                    } finally {
                        place.unlock();
                    }
                });
    }

    private Lock placeOf(Object of) {
        return places[Math.floorMod(of.hashCode(), places.length)];
    }
}
