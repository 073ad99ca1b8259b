package dev.quire.proxy.cache;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Responses outside the memory that were tested against some entries only.
 *
 * @param log of all entries; null if there are no such responses
 * @param oldest the entry up to which the oldest of them was tested; never decreases
 */
record Elsewhere(@Nullable InvalidationLog log, LongSupplier oldest) {
    static final Elsewhere NONE = new Elsewhere(null, () -> Long.MAX_VALUE);

    private static final CompletionStage<Durability> DURABLE =
            CompletableFuture.completedStage(Durability.DURABLE);

    /**
     * Completes as {@link InvalidationLog#sync}.
     *
     * @param undurable counts how often entries are not durable by then
     */
    CompletionStage<Durability> sync(LongAdder undurable) {
        return log == null
                ? DURABLE
                : log.sync()
                        .thenApply(durability -> {
                            undurable.add(durability == Durability.NOT_DURABLE ? 1 : 0);
                            return durability;
                        });
    }
}
