package dev.quire.core.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The freshness of one stored response: its three clocks (RFC 9111 §4.2, RFC 5861). All instants
 * are of the monotonic clock, so a jump of the wall clock has no effect. Every duration is between
 * zero and 2^31 seconds; a longer one counts as that (RFC 9111 §1.2.2).
 */
public final class Freshness {

    /*
     * Every stored response has one. So it contains only individual values; the terms, of which
     * settings and directives produce only a few, are shared.
     */

    // A hit calls this several times: sums are in nanoseconds, where 2^31 s fit twice in a long.
    private static final Duration LONGEST = Duration.ofSeconds(DeltaSeconds.MAX);
    private static final long NANOS_A_SECOND = 1_000_000_000L;

    /** The maximum number of shared terms. */
    private static final int MAX_SHARED = 1_024;

    private static final ConcurrentMap<Terms, Terms> SHARED = new ConcurrentHashMap<>();

    /**
     * The terms of use of a response. Responses with equal terms share one object.
     *
     * @param lifetime the freshness lifetime, counted from age zero
     * @param grace how long past the lifetime it may be served while one refresh runs
     * @param staleIfError how long past the lifetime it may be served instead of a 500, 502, 503 or
     *     504, or without a response
     * @param staleIfUnreachable how long past the lifetime it may be served without a complete
     *     response
     * @param validateAlways whether every reuse needs a validation first ({@code no-cache})
     * @param isNeverStale whether it must never be served stale (RFC 9111 §4.2.4)
     * @param isImmutable whether it is served while fresh, ignoring the client's max-age (RFC 8246)
     */
    public record Terms(
            Duration lifetime,
            Duration grace,
            Duration staleIfError,
            Duration staleIfUnreachable,
            boolean validateAlways,
            boolean isNeverStale,
            boolean isImmutable) {

        public Terms {
            lifetime = bounded("lifetime", lifetime);
            grace = bounded("grace", grace);
            staleIfError = bounded("staleIfError", staleIfError);
            staleIfUnreachable = bounded("staleIfUnreachable", staleIfUnreachable);
        }

        private Terms shared() {
            var known = SHARED.get(this);
            if (known != null) {
                return known;
            }
            if (SHARED.size() >= MAX_SHARED) {
                return this;
            }
            var first = SHARED.putIfAbsent(this, this);
            return first == null ? this : first;
        }
    }

    private final long receivedAtSecond;
    private final int receivedAtNano;
    private final long initialAgeNanos;
    private final Terms terms;

    /**
     * @param receivedAt when the response arrived, or was last validated
     * @param initialAge its age when it arrived (RFC 9111 §4.2.3)
     */
    public Freshness(Instant receivedAt, Duration initialAge, Terms terms) {
        this(
                receivedAt.getEpochSecond(),
                receivedAt.getNano(),
                bounded("initialAge", initialAge).toNanos(),
                terms.shared());
    }

    /** Creates the freshness of a response that is neither immutable nor never stale. */
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
                new Terms(
                        lifetime,
                        grace,
                        staleIfError,
                        staleIfUnreachable,
                        validateAlways,
                        false,
                        false));
    }

    private Freshness(
            long receivedAtSecond, int receivedAtNano, long initialAgeNanos, Terms terms) {
        this.receivedAtSecond = receivedAtSecond;
        this.receivedAtNano = receivedAtNano;
        this.initialAgeNanos = initialAgeNanos;
        this.terms = terms;
    }

    /** Returns when the response arrived, or was last validated. */
    public Instant receivedAt() {
        return Instant.ofEpochSecond(receivedAtSecond, receivedAtNano);
    }

    /** Returns its age when it arrived (RFC 9111 §4.2.3). */
    public Duration initialAge() {
        return Duration.ofNanos(initialAgeNanos);
    }

    public Terms terms() {
        return terms;
    }

    /** Returns the freshness lifetime, counted from age zero. */
    public Duration lifetime() {
        return terms.lifetime();
    }

    /** Returns how long past the lifetime it may be served while one refresh runs. */
    public Duration grace() {
        return terms.grace();
    }

    /** Returns how long past the lifetime it may be served instead of an error or no response. */
    public Duration staleIfError() {
        return terms.staleIfError();
    }

    /** Returns how long past the lifetime it may be served if no complete response arrived. */
    public Duration staleIfUnreachable() {
        return terms.staleIfUnreachable();
    }

    /** Whether every reuse needs a validation first ({@code no-cache}). */
    public boolean validateAlways() {
        return terms.validateAlways();
    }

    /** Whether it must never be served stale (RFC 9111 §4.2.4). */
    public boolean isNeverStale() {
        return terms.isNeverStale();
    }

    /** Whether it is served while fresh even above the client's maximum age (RFC 8246). */
    public boolean isImmutable() {
        return terms.isImmutable();
    }

    /** Returns the age at {@code now}, at least the initial age. */
    public Duration ageAt(Instant now) {
        return Duration.ofNanos(ageNanosAt(now));
    }

    /** Returns the age at {@code now} in nanoseconds. */
    public long ageNanosAt(Instant now) {
        return initialAgeNanos + residentNanosAt(now);
    }

    /** Returns the time since its arrival at {@code now}, in nanoseconds; not negative. */
    private long residentNanosAt(Instant now) {
        long seconds = now.getEpochSecond() - receivedAtSecond;
        if (seconds >= DeltaSeconds.MAX) {
            return LONGEST.toNanos();
        }
        return seconds < 0
                ? 0
                : Math.max(0, seconds * NANOS_A_SECOND + now.getNano() - receivedAtNano);
    }

    /** Returns the remaining lifetime at {@code now}; negative once stale. */
    public Duration remainingAt(Instant now) {
        return Duration.ofNanos(remainingNanosAt(now));
    }

    /** Whether the lifetime exceeds the age; if both are equal it is stale (RFC 9111 §4.2). */
    public boolean isFreshAt(Instant now) {
        return remainingNanosAt(now) > 0;
    }

    /** Whether it is fresh, or stale by less than {@code window}. */
    public boolean isStaleWithin(Duration window, Instant now) {
        return remainingNanosAt(now) > -bounded("window", window).toNanos();
    }

    /** Returns when it becomes useless without a validator; never before {@code receivedAt}. */
    public Instant uselessAfter() {
        var longest = longer(grace(), longer(staleIfError(), staleIfUnreachable()));
        var left = lifetime().minus(initialAge()).plus(longest);
        return left.isNegative() ? receivedAt() : receivedAt().plus(left);
    }

    /** Returns it as stale from {@code now} on, with the same windows: a soft purge. */
    public Freshness expiredAt(Instant now) {
        return isFreshAt(now)
                ? new Freshness(
                        receivedAtSecond,
                        receivedAtNano,
                        initialAgeNanos,
                        new Terms(
                                ageAt(now),
                                grace(),
                                staleIfError(),
                                staleIfUnreachable(),
                                validateAlways(),
                                isNeverStale(),
                                isImmutable()))
                : this;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Freshness that
                && receivedAtSecond == that.receivedAtSecond
                && receivedAtNano == that.receivedAtNano
                && initialAgeNanos == that.initialAgeNanos
                && terms.equals(that.terms);
    }

    @Override
    public int hashCode() {
        return Objects.hash(receivedAtSecond, receivedAtNano, initialAgeNanos, terms);
    }

    @Override
    public String toString() {
        return "received at " + receivedAt() + " aged " + initialAge() + ", " + terms;
    }

    private long remainingNanosAt(Instant now) {
        return terms.lifetime().toNanos() - ageNanosAt(now);
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
