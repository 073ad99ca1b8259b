package dev.quire.spring.invalidate;

import java.util.List;

/**
 * What became of what was sent.
 *
 * @param deliveries each invalidation at each surrogate; empty if nothing was under way
 */
public record InvalidationReport(List<Delivery> deliveries) {

    public InvalidationReport {
        deliveries = List.copyOf(deliveries);
    }

    /** Whether all of it was delivered. */
    public boolean isComplete() {
        return deliveries.stream().allMatch(delivery -> delivery.outcome() == Outcome.DONE);
    }

    /**
     * One invalidation at one surrogate.
     *
     * @param surrogate its name
     * @param invalidation what it was told
     * @param detail why it failed; empty if it did not
     * @param attempts how often it was told
     */
    public record Delivery(
            String surrogate,
            Invalidation invalidation,
            Outcome outcome,
            String detail,
            int attempts) {}

    /** How a delivery ended. */
    public enum Outcome {
        /** The surrogate has done it. */
        DONE,
        /** The surrogate does not accept it, so it was not tried again. */
        REFUSED,
        /** The surrogate did not answer in time, however often it was tried. */
        GAVE_UP,
        /** The queue was full, or the application has ended. */
        DROPPED
    }
}
