package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * The permissions of a client for one part of a page, or for the whole page, from {@code
 * Cache-Control} and {@code Expires}. {@code Surrogate-Control} does not apply to clients, and
 * {@code s-maxage} gives a browser no lifetime; it only shortens one, for caches on the way to it.
 *
 * @param noStore must not store it
 * @param isPublic any cache may store it, whatever else the request or response contains
 * @param isPrivate only the client itself may store it
 * @param mustRevalidate must not reuse it stale
 * @param reusableNanos how long from now it may be reused without validation, in nanoseconds; zero
 *     if not at all
 */
public record ClientLifetime(
        boolean noStore,
        boolean isPublic,
        boolean isPrivate,
        boolean mustRevalidate,
        long reusableNanos) {

    // A page of many fragments combines many of these, so it avoids Duration and allocation.
    private static final Duration LONGEST = Duration.ofSeconds(DeltaSeconds.MAX);
    private static final long NANOS_A_SECOND = 1_000_000_000L;

    /** No restriction: the neutral element of {@link #and}. */
    public static final ClientLifetime UNRESTRICTED =
            new ClientLifetime(false, true, false, false, LONGEST);

    public ClientLifetime {
        if (reusableNanos < 0) {
            throw new IllegalArgumentException(
                    "reusableFor must not be negative: " + Duration.ofNanos(reusableNanos));
        }
    }

    /**
     * @param reusableFor how long from now it may be reused without validation; at most 2^31 s (RFC
     *     9111 §1.2.2)
     */
    public ClientLifetime(
            boolean noStore,
            boolean isPublic,
            boolean isPrivate,
            boolean mustRevalidate,
            Duration reusableFor) {
        this(noStore, isPublic, isPrivate, mustRevalidate, shorter(reusableFor, LONGEST).toNanos());
    }

    /** Returns how long from now it may be reused without validation; zero if not at all. */
    public Duration reusableFor() {
        return Duration.ofNanos(reusableNanos);
    }

    /** Returns the permissions from the fields of a response, served at {@code age}. */
    public static ClientLifetime of(Fields response, Duration age) {
        var directives = CacheControl.of(response);
        var left = lifetime(response, directives).minus(age);
        // A browser's variant changes at login and logout, but its cache is the same.
        boolean isOfReader =
                SelectingFields.names(response)
                        .contains(SignedVariant.FIELD.toLowerCase(Locale.ROOT));
        boolean isOver =
                directives.noStore() || directives.noCache() || left.isNegative() || isOfReader;
        return new ClientLifetime(
                directives.noStore(),
                directives.isPublic(),
                directives.isPrivate() || isOfReader,
                directives.mustRevalidate(),
                isOver ? Duration.ZERO : left);
    }

    /** Returns the permissions that both have. */
    public ClientLifetime and(ClientLifetime other) {
        return allows(other)
                ? other
                : other.allows(this)
                        ? this
                        : new ClientLifetime(
                                noStore || other.noStore,
                                isPublic && other.isPublic,
                                isPrivate || other.isPrivate,
                                mustRevalidate || other.mustRevalidate,
                                Math.min(reusableNanos, other.reusableNanos));
    }

    /** Whether it permits everything that {@code other} permits. */
    private boolean allows(ClientLifetime other) {
        return (!noStore || other.noStore)
                && (isPublic || !other.isPublic)
                && (!isPrivate || other.isPrivate)
                && (!mustRevalidate || other.mustRevalidate)
                && reusableNanos >= other.reusableNanos;
    }

    /** Returns the permissions after {@code time} has passed. */
    public ClientLifetime after(Duration time) {
        return after(time.toNanos());
    }

    /** Returns the permissions after {@code nanos} have passed. */
    public ClientLifetime after(long nanos) {
        return reusableNanos == 0 || nanos == 0
                ? this
                : new ClientLifetime(
                        noStore,
                        isPublic,
                        isPrivate,
                        mustRevalidate,
                        Math.max(0, reusableNanos - nanos));
    }

    /** Whether a client may reuse it without validation. */
    public boolean isReusable() {
        return !noStore && reusableNanos > 0;
    }

    /**
     * Returns the field for the client. A lifetime loses only whole seconds of age, as Age counts
     * them (RFC 9111 §5.1), so a response with a lifetime of 1 s is not {@code no-cache} at once.
     */
    public String cacheControl() {
        if (noStore) {
            return "no-store";
        }
        var scope = isPrivate ? "private, " : "";
        if (!isReusable()) {
            return scope + "no-cache";
        }
        return (isPublic && !isPrivate ? "public, " : scope)
                + "max-age="
                + (reusableNanos + NANOS_A_SECOND - 1) / NANOS_A_SECOND
                + (mustRevalidate ? ", must-revalidate" : "");
    }

    private static Duration lifetime(Fields response, CacheControl directives) {
        var said = directives.maxAge().or(() -> lifetimeByExpires(response)).orElse(Duration.ZERO);
        return directives.sMaxAge().map(shared -> shorter(said, shared)).orElse(said);
    }

    /**
     * Expires minus Date; without a Date there is no lifetime, since Quire adds a new Date itself.
     */
    private static Optional<Duration> lifetimeByExpires(Fields response) {
        return date(response, "Date")
                .flatMap(date ->
                        date(response, "Expires").map(expires -> Duration.between(date, expires)));
    }

    private static Optional<Instant> date(Fields response, String name) {
        return Optional.ofNullable(response.first(name)).flatMap(HttpDate::parse);
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }
}
