package dev.quire.proxy.path;

import dev.quire.core.http.FieldNames;
import dev.quire.core.rule.ResponseRules;
import dev.quire.proxy.cache.RouteCacheRules;
import dev.quire.proxy.exchange.OriginClient;
import dev.quire.proxy.exchange.OriginRequest.Deadlines;
import dev.quire.proxy.route.EsiProcessing;
import dev.quire.proxy.route.HintMode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The target of a route: the origin, and the rules for storing its responses.
 *
 * @param responses the response rules
 * @param maxBodyBytes a longer request body is refused; 0 for no limit
 * @param deadlines of its fetches
 * @param tunnelIdle how long a WebSocket may be silent; empty if none is forwarded
 * @param sendsCertificates whether the origin gets the certificates of clients (RFC 9440)
 * @param hints which clients' requests are answered with 103 (Early Hints)
 * @param trailers the trailer fields of requests that the origin gets
 * @param others the same route with each origin that a rule may choose, by name
 */
public record RouteTarget(
        OriginClient origin,
        RouteCacheRules rules,
        ResponseRules responses,
        long maxBodyBytes,
        Deadlines deadlines,
        Optional<Duration> tunnelIdle,
        boolean sendsCertificates,
        HintMode hints,
        FieldNames trailers,
        Map<String, RouteTarget> others) {

    public RouteTarget {
        others = Map.copyOf(others);
    }

    /**
     * Whether its responses may be stored under {@code later}, a route of a newer configuration: it
     * judges them alike, and the origin is the same.
     *
     * @param name of the origin that a rule has chosen; null for that of the route
     */
    boolean holdsUnder(RouteTarget later, @Nullable String name) {
        var same = name == null ? later : later.others.get(name);
        return same != null
                && origin.equals(same.origin)
                && rules.holdUnder(same.rules)
                && responses.equals(same.responses);
    }

    /** Whether a response may be an ESI document, by the route or by a response rule. */
    boolean mayBeDocument() {
        return rules.esi() != EsiProcessing.OFF || responses.mayProcessEsi();
    }

    /** Returns the same route with the origin called {@code name}; null for its own. */
    RouteTarget at(@Nullable String name) {
        if (name == null) {
            return this;
        }
        var other = others.get(name);
        if (other == null) {
            throw new IllegalStateException("no rule may choose the origin " + name);
        }
        return other;
    }
}
