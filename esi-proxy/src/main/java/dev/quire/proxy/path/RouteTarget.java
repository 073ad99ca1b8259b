package dev.quire.proxy.path;

import dev.quire.proxy.cache.RouteCacheRules;
import dev.quire.proxy.exchange.OriginClient;

/**
 * The target of a route: the origin, and the rules for storing its responses.
 *
 * @param maxBodyBytes a longer request body is refused; 0 for no limit
 */
public record RouteTarget(OriginClient origin, RouteCacheRules rules, long maxBodyBytes) {}
