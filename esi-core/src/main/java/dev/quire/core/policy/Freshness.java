package dev.quire.core.policy;

import java.time.Duration;
import java.time.Instant;

/**
 * How long one stored response may be served: its three clocks (RFC 9111 §4.2, RFC 5861). All
 * instants are of the monotonic clock, so a jump of the wall clock ages nothing. Every time in it
 * is between zero and 2^31 seconds; a longer one counts as that (RFC 9111 §1.2.2).
 *
 * @param receivedAt when the response arrived, or was last validated
 * @param initialAge its age when it arrived (RFC 9111 §4.2.3)
 * @param lifetime the freshness lifetime, counted from age zero
 * @param grace how long past the lifetime it may be served while one refresh runs
 * @param staleIfError how long past the lifetime it may stand in for an answer of 500, 502, 503 or
 *     504, or for no answer
 * @param staleIfUnreachable how long past the lifetime it may stand in when no whole answer came
 * @param validateAlways whether every reuse needs a validation first ({@code no-cache})
 * @param isNeverStale whether nobody may allow it to be served stale (RFC 9111 §4.2.4)
 * @param isImmutable whether a client that asks for a younger one can have no other while it is
 *     fresh (RFC 8246)
 */
public record Freshness(
        Instant receivedAt,
        Duration initialAge,
        Duration lifetime,
        Duration grace,
        Duration staleIfError,
        Duration staleIfUnreachable,
        boolean validateAlways,
        boolean isNeverStale,
        boolean isImmutable) {

    // A hit asks several times: sums are made in nanoseconds, where 2^31 s fit twice in a long.
    private static final Duration LONGEST = Duration.ofSeconds(DeltaSeconds.MAX);
    private static final long NANOS_A_SECOND = 1_000_000_000L;

    public Freshness {
        initialAge = bounded("initialAge", initialAge);
        lifetime = bounded("lifetime", lifetime);
        grace = bounded("grace", grace);
        staleIfError = bounded("staleIfError", staleIfError);
        staleIfUnreachable = bounded("staleIfUnreachable", staleIfUnreachable);
    }

    /** Of a response that does not say what else may, or may not, be done with it. */
    public Freshness(
            Instant receivedAt,
            Duration initialAge,
            Duration lifetime,
            Duration grace,
            Duration staleIfError,
            Duration staleIfUnreachable,
            boolean validateAlways) {
        this(
                receivedAt,
                initialAge,
                lifetime,
                grace,
                staleIfError,
                staleIfUnreachable,
                validateAlways,
                false,
                false);
    }

    /** The age at {@code now}, never below the one it arrived with. */
    public Duration ageAt(Instant now) {
        return Duration.ofNanos(ageNanosAt(now));
    }

    /** How long it has been here at {@code now}, in nanoseconds; not negative. */
    public long residentNanosAt(Instant now) {
        long seconds = now.getEpochSecond() - receivedAt.getEpochSecond();
        if (seconds >= DeltaSeconds.MAX) {
            return LONGEST.toNanos();
        }
        return seconds < 0
                ? 0
                : Math.max(0, seconds * NANOS_A_SECOND + now.getNano() - receivedAt.getNano());
    }

    /** The lifetime that is left at {@code now}; negative once stale. */
    public Duration remainingAt(Instant now) {
        return Duration.ofNanos(remainingNanosAt(now));
    }

    /** Whether the lifetime exceeds the age; one that equals it is stale (RFC 9111 §4.2). */
    public boolean isFreshAt(Instant now) {
        return remainingNanosAt(now) > 0;
    }

    /** Whether it is fresh, or stale by less than {@code window}. */
    public boolean isStaleWithin(Duration window, Instant now) {
        return remainingNanosAt(now) > -bounded("window", window).toNanos();
    }

    /** When it can no longer be of any use without a validator; never before {@code receivedAt}. */
    public Instant uselessAfter() {
        var longest = longer(grace, longer(staleIfError, staleIfUnreachable));
        var left = lifetime.minus(initialAge).plus(longest);
        return left.isNegative() ? receivedAt : receivedAt.plus(left);
    }

    /** The same response made stale at {@code now}, its windows kept: a soft purge. */
    public Freshness expiredAt(Instant now) {
        return isFreshAt(now)
                ? new Freshness(
                        receivedAt,
                        initialAge,
                        ageAt(now),
                        grace,
                        staleIfError,
                        staleIfUnreachable,
                        validateAlways,
                        isNeverStale,
                        isImmutable)
                : this;
    }

    private long remainingNanosAt(Instant now) {
        return lifetime.toNanos() - ageNanosAt(now);
    }

    private long ageNanosAt(Instant now) {
        return initialAge.toNanos() + residentNanosAt(now);
    }

    private static Duration bounded(String name, Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative: " + duration);
        }
        return duration.compareTo(LONGEST) > 0 ? LONGEST : duration;
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) >= 0 ? a : b;
    }
}
