package dev.quire.proxy.admin;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * Sets the time at which each wrong admin token is refused: {@value #FREE} at once, and then one a
 * second over all connections, so that tokens cannot be guessed quickly. Requests with the right
 * token are never delayed. Thread-safe.
 */
final class FailedLogins {
    private static final int FREE = 5;
    private static final long EACH_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long LONGEST_NANOS = Duration.ofMinutes(1).toNanos();

    private boolean hasBegun;
    private long nextNanos;

    /**
     * Counts a wrong token at {@code nanos} and returns the delay of its refusal, possibly 0. Empty
     * if so many are waiting that it is not to be answered.
     */
    synchronized OptionalLong delayNanos(long nanos) {
        long unused = nanos - FREE * EACH_NANOS;
        if (!hasBegun || unused - nextNanos > 0) {
            hasBegun = true;
            nextNanos = unused;
        }
        if (nextNanos - nanos >= LONGEST_NANOS) {
            return OptionalLong.empty();
        }
        nextNanos += EACH_NANOS;
        return OptionalLong.of(Math.max(0, nextNanos - nanos));
    }
}
