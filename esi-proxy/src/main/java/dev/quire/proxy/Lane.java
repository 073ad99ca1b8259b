package dev.quire.proxy;

import dev.quire.proxy.cache.IntakeRules;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.ResponseSink;
import dev.quire.proxy.fetch.Fetcher;
import dev.quire.proxy.metrics.OriginMetrics;
import io.netty.channel.EventLoop;

/** What a route leads to: the origin, and how its responses are taken in. */
record Lane(Fetcher fetcher, IntakeRules rules, OriginMetrics metrics) {

    /** As {@link Fetcher#fetch}, and counted: the one place where requests to origins are. */
    BodyFlow fetch(OriginRequest request, EventLoop loop, ResponseSink sink) {
        return fetcher.fetch(request, loop, new CountedAnswer(sink, metrics, loop.ticker()));
    }
}
