package dev.quire.proxy.cache;

import java.util.concurrent.CompletionStage;

/** Receives the entries of {@link Invalidations}, to store them outside the process. */
public interface InvalidationLog {

    /** Adds an entry. Called in the order of the numbers, while a lock is held: must not wait. */
    void append(long number, InvalidationEntry entry);

    /**
     * Completes once all entries that were added before are durable, or after a moment in any case;
     * they may become durable later. Dependents run on threads of the log, so they must not wait.
     */
    CompletionStage<Durability> sync();
}
