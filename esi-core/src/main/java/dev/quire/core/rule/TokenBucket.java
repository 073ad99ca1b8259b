package dev.quire.core.rule;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The state of one rate limit for one client: a bucket of tokens that fills at a steady rate, and
 * from which each request takes one. Thread-safe and lock-free.
 *
 * <p>It keeps the time at which the bucket will be full (generic cell rate algorithm). So the
 * capacity may differ from one call to the next.
 */
public final class TokenBucket {
    private final AtomicLong fullAt;

    /** Creates a full bucket. */
    public TokenBucket(long nowNanos) {
        fullAt = new AtomicLong(nowNanos);
    }

    /**
     * Takes a token of {@code limit}.
     *
     * @param nowNanos of a monotonic clock
     * @return 0 if there was one, else the nanoseconds until there is one again
     */
    public long take(RateLimit limit, long nowNanos) {
        long each = limit.nanosPerToken();
        long capacity = each * limit.burst();
        while (true) {
            long known = fullAt.get();
            long after = Math.max(known - nowNanos, 0) + each;
            if (after > capacity) {
                return after - capacity;
            }
            if (fullAt.compareAndSet(known, nowNanos + after)) {
                return 0;
            }
        }
    }
}
