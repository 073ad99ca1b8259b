package dev.quire.proxy.config;

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

    /** What is done about ESI tags in the answers of a route. */
    public enum EsiMode {
        /** Runs them where the origin says {@code Surrogate-Control: content="ESI/1.0"}. */
        AUTO,
        /** The same, but of those only what bears the stamp of its request. */
        STAMPED,
        /** Runs them wherever the content type allows it. */
        ON,
        /** Leaves them in the page. */
        OFF
    }

    /** Every path of every host. */
    public static RouteConfig everythingTo(String origin) {
        return new RouteConfig("*", "/**", origin, EsiMode.AUTO);
    }
}
