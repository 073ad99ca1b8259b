package dev.quire.proxy.config;

import dev.quire.core.policy.OperatorLifetime;
import dev.quire.proxy.route.EsiMode;
import java.time.Duration;
import java.util.Optional;

/**
 * Sends some requests to an origin.
 *
 * @param host a name in lower case without a port; {@code *.NAME} matches every name below it,
 *     {@code *} every host
 * @param path starts with {@code /}; {@code *} matches within a segment, the segment {@code **} any
 *     number of segments
 * @param origin the name of one of the configuration's origins
 * @param esi what is done about ESI tags in the answers
 * @param operator how long the answers may be used
 * @param defaultGrace as {@code cache.grace}, in place of it
 * @param defaultStaleIfError as {@code cache.stale-if-error}, in place of it
 */
public record RouteConfig(
        String host,
        String path,
        String origin,
        EsiMode esi,
        OperatorLifetime operator,
        Optional<Duration> defaultGrace,
        Optional<Duration> defaultStaleIfError) {

    /** A route that leaves freshness to the origin and to {@code cache}. */
    public RouteConfig(String host, String path, String origin, EsiMode esi) {
        this(host, path, origin, esi, OperatorLifetime.UNSAID, Optional.empty(), Optional.empty());
    }

    /** Every path of every host. */
    public static RouteConfig everythingTo(String origin) {
        return new RouteConfig("*", "/**", origin, EsiMode.AUTO);
    }
}
