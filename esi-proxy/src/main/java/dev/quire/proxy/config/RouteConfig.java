package dev.quire.proxy.config;

import dev.quire.core.http.FieldSyntax;
import dev.quire.core.policy.OperatorLifetime;
import dev.quire.core.policy.Settings;
import dev.quire.core.policy.TrailerFields;
import dev.quire.proxy.route.EsiProcessing;
import dev.quire.proxy.route.HintMode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One route: sends matching requests to an origin.
 *
 * @param host a name in lower case without a port; {@code *.NAME} matches all names below it,
 *     {@code *} every host
 * @param path starts with {@code /}; {@code *} matches within a segment, the segment {@code **} any
 *     number of segments
 * @param origin the name of a configured origin
 * @param esi whether ESI tags in responses are processed
 * @param operator lifetimes set by the operator
 * @param defaultGrace overrides {@code cache.grace}
 * @param defaultStaleIfError overrides {@code cache.stale-if-error}
 * @param staleIfSlow overrides {@code cache.stale-if-slow}
 * @param bodyBytes overrides {@code limits.body}; 0 for no limit
 * @param timeouts override those of the origin
 * @param tunnelIdle how long a WebSocket may be silent; empty if none is forwarded
 * @param sendsCertificates whether the origin gets the certificates of clients
 * @param hints which 103 (Early Hints) responses clients get
 * @param trailers names of the trailer fields of requests that the origin gets
 */
public record RouteConfig(
        String host,
        String path,
        String origin,
        EsiProcessing esi,
        OperatorLifetime operator,
        Optional<Duration> defaultGrace,
        Optional<Duration> defaultStaleIfError,
        Optional<Duration> staleIfSlow,
        Optional<Long> bodyBytes,
        RouteTimeouts timeouts,
        Optional<Duration> tunnelIdle,
        boolean sendsCertificates,
        HintMode hints,
        List<String> trailers) {

    /** Accepts names that RFC 9110 §6.5.1 allows. */
    static final ValueParser<String> TRAILER =
            ValueParser.scalar(
                    "field",
                    "a field that may be a trailer: not one for framing, routing, authentication,"
                            + " caching or the content",
                    "[!-~]+",
                    text ->
                            Optional.of(text)
                                    .filter(FieldSyntax::isToken)
                                    .filter(TrailerFields::mayBeTrailer));

    static final Duration TUNNEL_IDLE = Duration.ofHours(1);

    public RouteConfig {
        trailers = List.copyOf(trailers);
    }

    /** Creates a route with the freshness of the origin and {@code cache}, and WebSockets. */
    public RouteConfig(String host, String path, String origin, EsiProcessing esi) {
        this(
                host,
                path,
                origin,
                esi,
                OperatorLifetime.UNSAID,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                RouteTimeouts.NONE,
                Optional.of(TUNNEL_IDLE),
                false,
                HintMode.PASS,
                List.of());
    }

    /** Returns a route for all paths of all hosts. */
    public static RouteConfig everythingTo(String origin) {
        return new RouteConfig("*", "/**", origin, EsiProcessing.AUTO);
    }

    /** Returns what decides whether and how long its responses are stored. */
    public Settings settings(CacheConfig cache, EsiConfig esi) {
        return new Settings(
                defaultGrace.orElse(cache.grace()),
                defaultStaleIfError.orElse(cache.staleIfError()),
                cache.staleIfUnreachable(),
                staleIfSlow.orElse(cache.staleIfSlow()),
                cache.heuristic(),
                cache.setCookie() == CacheConfig.SetCookie.STORE,
                esi.deviceToken(),
                cache.staleDespiteSharedMaxAge(),
                operator);
    }
}
