package dev.quire.proxy.disk;

import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationLog;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The log of a process that goes on without the tier, while a later one may use its files. */
final class UndurableLog implements InvalidationLog {

    @Override
    public void append(long number, InvalidationEntry entry) {
        // It cannot be stored.
    }

    @Override
    public CompletionStage<Durability> sync() {
        return CompletableFuture.completedStage(Durability.NOT_DURABLE);
    }
}
