package dev.quire.proxy;

import dev.quire.proxy.cache.IntakeRules;
import dev.quire.proxy.fetch.Fetcher;

/** What a route leads to: the origin, and how its responses are taken in. */
record Lane(Fetcher fetcher, IntakeRules rules) {}
