package dev.quire.proxy.access;

import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/** The rate limits and logins of all generations of the configuration. */
public record Gates(RateLimits limits, Logins logins) {

    /**
     * Creates them, without buckets and verdicts.
     *
     * @param aside runs the check of a password outside the event loops
     * @param nanos a monotonic clock
     */
    public static Gates of(Executor aside, LongSupplier nanos) {
        return new Gates(new RateLimits(), new Logins(aside, nanos));
    }
}
