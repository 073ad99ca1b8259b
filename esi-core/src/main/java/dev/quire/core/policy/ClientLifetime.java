package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * What a client may do with one part of a page, or with all of them: what {@code Cache-Control} and
 * {@code Expires} say to it. {@code Surrogate-Control} says nothing to clients, and {@code
 * s-maxage} gives a browser no lifetime; it only shortens one, for caches between us and it.
 *
 * @param noStore must not keep it
 * @param isPublic any cache may keep it, whatever else the request or response holds
 * @param isPrivate only the client itself may keep it
 * @param mustRevalidate must not reuse it stale
 * @param reusableNanos how long from now it may be reused without asking, in nanoseconds; zero when
 *     not at all
 */
public record ClientLifetime(
        boolean noStore,
        boolean isPublic,
        boolean isPrivate,
        boolean mustRevalidate,
        long reusableNanos) {

    // A page of many fragments combines many of these: in nanoseconds, and none is made in vain.
    private static final Duration LONGEST = Duration.ofSeconds(DeltaSeconds.MAX);
    private static final long NANOS_A_SECOND = 1_000_000_000L;

    /** A part that restricts nothing: where combining starts. */
    public static final ClientLifetime UNRESTRICTED =
            new ClientLifetime(false, true, false, false, LONGEST);

    public ClientLifetime {
        if (reusableNanos < 0) {
            throw new IllegalArgumentException(
                    "reusableFor must not be negative: " + Duration.ofNanos(reusableNanos));
        }
    }

    /**
     * @param reusableFor how long from now it may be reused without asking; longer than 2^31 s
     *     counts as that (RFC 9111 §1.2.2)
     */
    public ClientLifetime(
            boolean noStore,
            boolean isPublic,
            boolean isPrivate,
            boolean mustRevalidate,
            Duration reusableFor) {
        this(noStore, isPublic, isPrivate, mustRevalidate, shorter(reusableFor, LONGEST).toNanos());
    }

    /** How long from now it may be reused without asking; zero when not at all. */
    public Duration reusableFor() {
        return Duration.ofNanos(reusableNanos);
    }

    /** What the fields of a response say to a client that gets it at {@code age}. */
    public static ClientLifetime of(Fields response, Duration age) {
        var directives = CacheControl.of(response);
        var left = lifetime(response, directives).minus(age);
        // Between a login and a logout a browser is two readers, and its cache is one.
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

    /** What may be done with both together: whatever either of them forbids is forbidden. */
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

    /** Whether it forbids nothing that {@code other} does not forbid. */
    private boolean allows(ClientLifetime other) {
        return (!noStore || other.noStore)
                && (isPublic || !other.isPublic)
                && (!isPrivate || other.isPrivate)
                && (!mustRevalidate || other.mustRevalidate)
                && reusableNanos >= other.reusableNanos;
    }

    /** The same after {@code time} has passed. */
    public ClientLifetime after(Duration time) {
        return after(time.toNanos());
    }

    /** The same after {@code nanos} have passed. */
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

    /** Whether a client may reuse it at all without asking; less than a second cannot be said. */
    public boolean isReusable() {
        return !noStore && reusableNanos >= NANOS_A_SECOND;
    }

    /** The {@code Cache-Control} that says this. */
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
                + reusableNanos / NANOS_A_SECOND
                + (mustRevalidate ? ", must-revalidate" : "");
    }

    private static Duration lifetime(Fields response, CacheControl directives) {
        var said = directives.maxAge().or(() -> lifetimeByExpires(response)).orElse(Duration.ZERO);
        return directives.sMaxAge().map(shared -> shorter(said, shared)).orElse(said);
    }

    /** Expires minus Date; we give every response a Date, so one without says nothing. */
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
