package dev.quire.proxy.path;

import dev.quire.proxy.cache.RouteCacheRules;
import dev.quire.proxy.exchange.OriginClient;
import dev.quire.proxy.exchange.OriginRequest.Deadlines;
import java.time.Duration;
import java.util.Optional;

/**
 * The target of a route: the origin, and the rules for storing its responses.
 *
 * @param maxBodyBytes a longer request body is refused; 0 for no limit
 * @param deadlines of its fetches
 * @param tunnelIdle how long a WebSocket may be silent; empty if none is forwarded
 */
public record RouteTarget(
        OriginClient origin,
        RouteCacheRules rules,
        long maxBodyBytes,
        Deadlines deadlines,
        Optional<Duration> tunnelIdle) {}
