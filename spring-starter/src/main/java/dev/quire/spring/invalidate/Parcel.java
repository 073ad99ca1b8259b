package dev.quire.spring.invalidate;

import dev.quire.spring.invalidate.InvalidationReport.Delivery;
import io.micrometer.observation.Observation;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One invalidation on its way to one surrogate.
 *
 * @param deadline when it is given up, as {@link System#nanoTime} counts
 * @param repeated whether it has been delivered once before
 * @param cause during which it was asked for
 * @param tried completes when the surrogate has been told once, with whatever success, and when it
 *     is known that telling it is going to take long
 * @param delivered completes with what became of it
 */
record Parcel(
        Invalidation invalidation,
        long deadline,
        boolean repeated,
        @Nullable Observation cause,
        CompletableFuture<Void> tried,
        CompletableFuture<Delivery> delivered) {

    static Parcel of(
            Invalidation invalidation,
            long deadline,
            boolean repeated,
            @Nullable Observation cause) {
        return new Parcel(
                invalidation,
                deadline,
                repeated,
                cause,
                new CompletableFuture<>(),
                new CompletableFuture<>());
    }

    /** Whether it names nothing: then nothing comes behind it. */
    boolean isEnd() {
        return invalidation.isEmpty();
    }

    /** Ends it. */
    void end(Delivery delivery) {
        tried.complete(null);
        delivered.complete(delivery);
    }
}
