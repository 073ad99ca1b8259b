package dev.quire.proxy.cache;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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

    void append(long number, InvalidationEntry entry) {
        if (log != null) {
            log.append(number, entry);
        }
    }

    /** Completes as {@link InvalidationLog#sync}. */
    CompletionStage<Durability> sync() {
        return log == null ? DURABLE : log.sync();
    }
}
