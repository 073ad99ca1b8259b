package dev.quire.proxy.admin;

import java.time.Duration;

/**
 * Counts wrong admin tokens. After {@value #FREE} in a minute the refusal of each further one is
 * delayed, so that tokens cannot be guessed quickly. Requests with the right token are never
 * delayed. Thread-safe.
 */
final class FailedLogins {
    private static final int FREE = 5;
    private static final long WINDOW_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long DELAY_NANOS = Duration.ofSeconds(1).toNanos();

    private long windowStart;
    private int count;

    /** Counts a wrong token at {@code nanos} and returns the delay of its refusal, possibly 0. */
    synchronized long delayNanos(long nanos) {
        if (count == 0 || nanos - windowStart > WINDOW_NANOS) {
            windowStart = nanos;
            count = 0;
        }
        count++;
        return count > FREE ? DELAY_NANOS : 0;
    }
}
