package dev.quire.proxy.config;

import dev.quire.proxy.route.EsiMode;

/**
 * Sends some requests to an origin.
 *
 * @param host a name in lower case without a port; {@code *.NAME} matches every name below it,
 *     {@code *} every host
 * @param path starts with {@code /}; {@code *} matches within a segment, the segment {@code **} any
 *     number of segments
 * @param origin the name of one of the configuration's origins
 * @param esi what is done about ESI tags in the answers
 * @param freshness how long the answers may be used
 */
public record RouteConfig(
        String host, String path, String origin, EsiMode esi, RouteFreshness freshness) {

    /** A route that leaves freshness to the origin. */
    public RouteConfig(String host, String path, String origin, EsiMode esi) {
        this(host, path, origin, esi, RouteFreshness.UNSAID);
    }

    /** Every path of every host. */
    public static RouteConfig everythingTo(String origin) {
        return new RouteConfig("*", "/**", origin, EsiMode.AUTO);
    }
}
