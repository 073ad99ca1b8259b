package dev.quire.proxy.config;

import dev.quire.proxy.route.OriginSettings.Deadlines;
import java.time.Duration;
import java.util.Optional;

/**
 * Timeouts of a route; each overrides that of its origin.
 *
 * @param firstByte {@code first-byte-timeout}
 * @param betweenBytes {@code between-bytes-timeout}
 * @param idle {@code idle-timeout}; zero for no limit
 */
public record RouteTimeouts(
        Optional<Duration> firstByte, Optional<Duration> betweenBytes, Optional<Duration> idle) {

    static final RouteTimeouts NONE =
            new RouteTimeouts(Optional.empty(), Optional.empty(), Optional.empty());

    /** Returns the deadlines of a fetch on the route. */
    public Deadlines over(Deadlines origin) {
        return new Deadlines(
                origin.connect(),
                firstByte.orElse(origin.firstByte()),
                betweenBytes.orElse(origin.betweenBytes()),
                idle.orElse(origin.idle()));
    }
}
