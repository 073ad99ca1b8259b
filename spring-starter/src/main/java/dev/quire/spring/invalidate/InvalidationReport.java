package dev.quire.spring.invalidate;

import java.util.List;

/**
 * The result of invalidations.
 *
 * @param deliveries one per invalidation and surrogate; empty if none was in flight
 */
public record InvalidationReport(List<Delivery> deliveries) {

    public InvalidationReport {
        deliveries = List.copyOf(deliveries);
    }

    /** Whether every invalidation was delivered. */
    public boolean isComplete() {
        return deliveries.stream().allMatch(delivery -> delivery.outcome() == Outcome.DONE);
    }

    /**
     * One invalidation at one surrogate.
     *
     * @param surrogate its name
     * @param invalidation the invalidation sent
     * @param detail why it failed; empty if it did not
     * @param attempts number of attempts
     */
    public record Delivery(
            String surrogate,
            Invalidation invalidation,
            Outcome outcome,
            String detail,
            int attempts) {}

    /** How a delivery ended. */
    public enum Outcome {
        /** The surrogate has confirmed it. */
        DONE,
        /** The surrogate rejected it. It was not retried, except apart from others. */
        REFUSED,
        /** The surrogate did not confirm it in time, in spite of retries. */
        GAVE_UP,
        /** The queue was full, or the application has stopped. */
        DROPPED
    }
}
