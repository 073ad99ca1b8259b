package dev.quire.proxy.config;

import java.time.Duration;
import java.util.Optional;

/**
 * How long the responses of a route may be used. The first three stand in place of what the origin
 * says; the others only where it says nothing, and in place of the guess or of {@code cache:}.
 *
 * @param ttl the freshness lifetime, counted from the arrival
 * @param grace how long a stale response is served during its refresh
 * @param staleIfError how long past its lifetime it stands in for an error
 * @param defaultTtl the freshness lifetime of a response that names none
 * @param defaultGrace as {@code cache.grace}
 * @param defaultStaleIfError as {@code cache.stale-if-error}
 */
public record RouteFreshness(
        Optional<Duration> ttl,
        Optional<Duration> grace,
        Optional<Duration> staleIfError,
        Optional<Duration> defaultTtl,
        Optional<Duration> defaultGrace,
        Optional<Duration> defaultStaleIfError) {

    /** Leaves it to the origin and to {@code cache:}. */
    public static final RouteFreshness UNSAID =
            new RouteFreshness(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty());
}
