package dev.quire.proxy.path;

import dev.quire.proxy.cache.IntakeRules;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.OriginClient;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.ResponseSink;
import dev.quire.proxy.metrics.OriginMetrics;
import io.netty.channel.EventLoop;

/** What a route leads to: the origin, and how its responses are taken in. */
public record Lane(OriginClient origin, IntakeRules rules, OriginMetrics metrics) {

    /** As {@link OriginClient#fetch}, and counted: the one place where requests to origins are. */
    BodyFlow fetch(OriginRequest request, EventLoop loop, ResponseSink sink) {
        return origin.fetch(request, loop, new CountedAnswer(sink, metrics, loop.ticker()));
    }
}
