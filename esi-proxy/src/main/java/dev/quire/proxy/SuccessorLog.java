package dev.quire.proxy;

import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationEntry.LiftEntry;
import dev.quire.proxy.cache.InvalidationLog;
import dev.quire.proxy.disk.PassedEntry;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.handover.HandoverOffer.Successor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The log of a process that drains: passes its invalidations to the one that has replaced it, which
 * may have stored, on disk or since then, what they cover.
 */
final class SuccessorLog implements InvalidationLog {
    private static final Duration LONGEST_SYNC = Duration.ofMillis(100);

    private final Successor successor;
    private final Time time;
    private final BooleanSupplier isOfFleet;

    /** Completed once all entries are answered. Written with the lock of the invalidations held. */
    private volatile CompletableFuture<Durability> all =
            CompletableFuture.completedFuture(Durability.DURABLE);

    /**
     * @param isOfFleet whether the calling thread makes entries of the log of a fleet: the
     *     successor reads those itself, and would append them again
     */
    SuccessorLog(Successor successor, Time time, BooleanSupplier isOfFleet) {
        this.successor = successor;
        this.time = time;
        this.isOfFleet = isOfFleet;
    }

    @Override
    public void append(long number, InvalidationEntry entry) {
        if (isOfFleet.getAsBoolean()
                || (entry instanceof LiftEntry(var ban, var since) && ban == 0)) {
            return;
        }
        // The other process has other numbers, so the end of a ban means nothing to it.
        var confirmed =
                entry instanceof LiftEntry
                        ? CompletableFuture.completedStage(false)
                        : successor.pass(PassedEntry.write(entry, time));
        all =
                all.thenCombine(
                        confirmed,
                        (before, isDurable) -> isDurable ? before : Durability.NOT_DURABLE);
    }

    /** {@inheritDoc} Completes after at most 100 ms. */
    @Override
    public CompletionStage<Durability> sync() {
        var result = all.copy();
        return result.isDone()
                ? result
                : result.completeOnTimeout(
                        Durability.NOT_DURABLE, LONGEST_SYNC.toNanos(), TimeUnit.NANOSECONDS);
    }
}
