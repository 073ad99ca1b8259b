package dev.quire.spring.internal.invalidate;

import dev.quire.spring.invalidate.Invalidation;
import dev.quire.spring.invalidate.InvalidationReport.Delivery;
import io.micrometer.observation.Observation;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One invalidation for one surrogate.
 *
 * @param deadline when it is given up, as {@link System#nanoTime}
 * @param repeated whether this is the second delivery
 * @param cause the observation during which it was requested
 * @param tried completes after the first attempt, successful or not, or when the surrogate is known
 *     to be failing
 * @param delivered completes with the result
 */
record QueuedInvalidation(
        Invalidation invalidation,
        long deadline,
        boolean repeated,
        @Nullable Observation cause,
        CompletableFuture<Void> tried,
        CompletableFuture<Delivery> delivered) {

    static QueuedInvalidation of(
            Invalidation invalidation,
            long deadline,
            boolean repeated,
            @Nullable Observation cause) {
        return new QueuedInvalidation(
                invalidation,
                deadline,
                repeated,
                cause,
                new CompletableFuture<>(),
                new CompletableFuture<>());
    }

    /** Whether it is the end marker, which is empty. */
    boolean isEnd() {
        return invalidation.isEmpty();
    }

    void end(Delivery delivery) {
        tried.complete(null);
        delivered.complete(delivery);
    }
}
