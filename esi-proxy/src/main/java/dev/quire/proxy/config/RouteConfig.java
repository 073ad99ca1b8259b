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
 */
public record RouteConfig(String host, String path, String origin, EsiMode esi) {

    /** What is done about ESI tags in the answers of a route. */
    public enum EsiMode {
        /** Runs them where the origin says {@code Surrogate-Control: content="ESI/1.0"}. */
        AUTO,
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
