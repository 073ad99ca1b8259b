package dev.quire.proxy.path;

import dev.quire.proxy.cache.IntakeRules;
import dev.quire.proxy.exchange.OriginClient;

/** What a route leads to: the origin, and how its responses are taken in. */
public record Lane(OriginClient origin, IntakeRules rules) {}
