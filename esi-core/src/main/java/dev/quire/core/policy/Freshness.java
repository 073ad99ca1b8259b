package dev.quire.core.policy;

import java.time.Duration;
import java.time.Instant;

/**
 * How long one stored response may be served: its three clocks (RFC 9111 §4.2, RFC 5861). All
 * instants are of the monotonic clock, so a jump of the wall clock ages nothing.
 *
 * @param receivedAt when the response arrived, or was last validated
 * @param initialAge its age when it arrived (RFC 9111 §4.2.3)
 * @param lifetime the freshness lifetime, counted from age zero
 * @param grace how long past the lifetime it may be served while one refresh runs
 * @param staleIfError how long past the lifetime it may stand in for an answer of 500, 502, 503 or
 *     504, or for no answer
 * @param staleIfUnreachable how long past the lifetime it may stand in when the origin cannot be
 *     reached at all
 * @param validateAlways whether every reuse needs a validation first ({@code no-cache})
 */
public record Freshness(
        Instant receivedAt,
        Duration initialAge,
        Duration lifetime,
        Duration grace,
        Duration staleIfError,
        Duration staleIfUnreachable,
        boolean validateAlways) {

    /** The age at {@code now}, never below zero. */
    public Duration ageAt(Instant now) {
        var resident = Duration.between(receivedAt, now);
        return resident.isNegative() ? initialAge : initialAge.plus(resident);
    }

    /** The lifetime that is left at {@code now}; negative once stale. */
    public Duration remainingAt(Instant now) {
        return lifetime.minus(ageAt(now));
    }

    /** Whether the lifetime exceeds the age; one that equals it is stale (RFC 9111 §4.2). */
    public boolean isFreshAt(Instant now) {
        return remainingAt(now).compareTo(Duration.ZERO) > 0;
    }

    /** Whether it is stale by less than {@code window}. */
    public boolean isStaleWithin(Duration window, Instant now) {
        return remainingAt(now).plus(window).compareTo(Duration.ZERO) > 0;
    }

    /** When it can no longer be of any use without a validator; never before {@code receivedAt}. */
    public Instant uselessAfter() {
        var longest = max(grace, max(staleIfError, staleIfUnreachable));
        var left = lifetime.minus(initialAge).plus(longest);
        return left.isNegative() ? receivedAt : receivedAt.plus(left);
    }

    /** The same response made stale at {@code now}, its windows kept: a soft purge. */
    public Freshness expiredAt(Instant now) {
        var age = ageAt(now);
        return isFreshAt(now)
                ? new Freshness(
                        receivedAt,
                        initialAge,
                        age,
                        grace,
                        staleIfError,
                        staleIfUnreachable,
                        validateAlways)
                : this;
    }

    private static Duration max(Duration a, Duration b) {
        return a.compareTo(b) >= 0 ? a : b;
    }
}
