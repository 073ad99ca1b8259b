package dev.quire.proxy.config;

import static dev.quire.proxy.config.ConfigurationReader.FROM_ZERO;
import static dev.quire.proxy.config.ConfigurationReader.POSITIVE;

import dev.quire.core.policy.OperatorLifetime;
import dev.quire.core.text.NearestName;
import dev.quire.proxy.route.EsiProcessing;
import dev.quire.proxy.route.HintMode;
import dev.quire.proxy.route.OriginSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads one section of {@code routes}. */
final class RouteReader {
    private static final ValueParser<EsiProcessing> ESI_MODE =
            ValueParser.oneOf(EsiProcessing.class);

    private static final ValueParser<HintMode> HINTS = ValueParser.oneOf(HintMode.class);

    /** The protocols for which a request may become a tunnel. */
    private static final ValueParser<Boolean> UPGRADE =
            new ValueParser<>(
                    "websocket",
                    text -> Optional.of(true).filter(forwarded -> text.equals("websocket")),
                    forwarded -> "websocket",
                    ValueForm.oneOf(List.of("websocket")));

    private RouteReader() {}

    /** Returns nothing if the origin is missing or unknown. */
    static Optional<RouteConfig> route(Section section, Map<String, OriginSettings> origins) {
        var host = section.value("host", ValueParser.HOST_PATTERN, "*");
        var path = section.value("path", ValueParser.PATH_PATTERN, "/**");
        var origin = section.required("origin", ValueParser.NAME);
        var esi = section.value("esi", ESI_MODE, EsiProcessing.AUTO);
        var operator =
                new OperatorLifetime(
                        section.optional("ttl", FROM_ZERO),
                        section.optional("grace", FROM_ZERO),
                        section.optional("stale-if-error", FROM_ZERO),
                        section.optional("default-ttl", FROM_ZERO));
        var grace = section.optional("default-grace", FROM_ZERO);
        var staleIfError = section.optional("default-stale-if-error", FROM_ZERO);
        var staleIfSlow = section.optional("stale-if-slow", FROM_ZERO);
        var body = section.section("limits", limits -> limits.optional("body", ValueParser.LIMIT));
        var timeouts =
                new RouteTimeouts(
                        section.optional("first-byte-timeout", POSITIVE),
                        section.optional("between-bytes-timeout", POSITIVE),
                        section.optional("idle-timeout", FROM_ZERO));
        var tunnelIdle = tunnelIdle(section);
        boolean sendsCertificates = section.value("client-cert", ValueParser.TRUTH, false);
        var hints = section.value("hints", HINTS, HintMode.PASS);
        var trailers = section.list("trailers", RouteConfig.TRAILER, List.of());
        return origin.filter(name -> isKnown(section, name, origins.keySet()))
                .map(name ->
                        new RouteConfig(
                                host,
                                path,
                                name,
                                esi,
                                operator,
                                grace,
                                staleIfError,
                                staleIfSlow,
                                body,
                                timeouts,
                                tunnelIdle,
                                sendsCertificates,
                                hints,
                                trailers));
    }

    /** Whether {@code origin} is the name of an origin; reports it otherwise. */
    static boolean isKnown(Section section, String origin, Set<String> origins) {
        boolean isKnown = origins.contains(origin);
        if (!isKnown) {
            section.wrong(
                    "origin",
                    "unknown origin '" + origin + "'",
                    origins.isEmpty()
                            ? "the name of one of origins"
                            : "'" + NearestName.to(origin, origins) + "', the nearest match");
        }
        return isKnown;
    }

    /** Returns nothing if the route does not forward WebSockets. */
    private static Optional<Duration> tunnelIdle(Section section) {
        var forwarded = section.list("upgrade", UPGRADE, List.of(true));
        var idle = section.value("tunnel-idle", POSITIVE, RouteConfig.TUNNEL_IDLE);
        if (!forwarded.isEmpty()) {
            return Optional.of(idle);
        }
        if (section.has("tunnel-idle")) {
            section.wrong(
                    "tunnel-idle", "has no effect while upgrade is empty", "upgrade: [websocket]");
        }
        return Optional.empty();
    }
}
