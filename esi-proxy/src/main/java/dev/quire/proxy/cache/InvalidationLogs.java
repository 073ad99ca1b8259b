package dev.quire.proxy.cache;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** The logs of {@link Invalidations}, which change with its lock held. Otherwise thread-safe. */
final class InvalidationLogs {
    private final LongAdder undurable = new LongAdder();
    private final LogNotes notes = new LogNotes();

    /** The log of this process or its successor. */
    private volatile Elsewhere own = Elsewhere.NONE;

    /** The log of the fleet. */
    private volatile Elsewhere fleet = Elsewhere.NONE;

    /** The notes of the log of the fleet. */
    LogNotes notes() {
        return notes;
    }

    void own(InvalidationLog log, LongSupplier oldest) {
        // They would name entries that the former log does not get.
        notes.endPassing();
        own = new Elsewhere(log, oldest);
    }

    void endOwn() {
        own = Elsewhere.NONE;
    }

    void fleet(InvalidationLog log, LongSupplier oldest) {
        fleet = new Elsewhere(log, oldest);
    }

    void end(InvalidationLog log) {
        if (log.equals(own.log())) {
            endOwn();
        }
        if (log.equals(fleet.log())) {
            fleet = Elsewhere.NONE;
        }
    }

    void append(long number, InvalidationEntry entry) {
        own.append(number, entry);
        fleet.append(number, entry);
    }

    /** Completes once both have completed theirs. */
    CompletionStage<Durability> sync() {
        return own.sync()
                .thenCombine(
                        fleet.sync(),
                        (local, shared) -> local == Durability.DURABLE ? shared : local)
                .thenApply(durability -> {
                    undurable.add(durability == Durability.NOT_DURABLE ? 1 : 0);
                    return durability;
                });
    }

    /** Completes as the log of this process or its successor does. */
    CompletionStage<Durability> syncOwn() {
        return own.sync();
    }

    long undurable() {
        return undurable.sum();
    }

    /** The entry up to which the oldest response was tested that is outside the memory. */
    long oldest() {
        return Math.min(oldestOwn(), fleet.oldest().getAsLong());
    }

    /** The same without those of the fleet. */
    long oldestOwn() {
        return own.oldest().getAsLong();
    }
}
