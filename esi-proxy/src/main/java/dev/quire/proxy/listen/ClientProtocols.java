package dev.quire.proxy.listen;

import dev.quire.proxy.exchange.ExchangeHandler;
import io.netty.channel.ChannelPipeline;
import java.util.function.Supplier;

/**
 * Installs the handlers of a protocol on a client connection, at the end of its pipeline. If the
 * channel is already active, the caller must fire {@code channelActive} in front of them.
 *
 * @param rules the current ones
 * @param siblings the connections of the same port and loop
 */
record ClientProtocols(
        Arrival arrival,
        ExchangeHandler exchanges,
        Supplier<ConnectionRules> rules,
        LoopConnections siblings) {

    void http1(ChannelPipeline pipeline) {
        var current = rules.get();
        var decoder = new RequestDecoder(validator(current), current.limits(), siblings.traffic());
        new ConnectionHandler(decoder, exchanges, rules, arrival, siblings).begin(pipeline);
    }

    void http2(ChannelPipeline pipeline) {
        pipeline.addLast(
                Http2Codec.handler(validator(rules.get()), exchanges, rules, arrival, siblings));
    }

    /** Installs HTTP/2 if the client begins with its preface (RFC 9113 §3.3), else HTTP/1.1. */
    void either(ChannelPipeline pipeline) {
        pipeline.addLast(new PrefaceDetector(this));
    }

    private RequestValidator validator(ConnectionRules current) {
        return new RequestValidator(
                arrival.scheme(), arrival::covers, current.defaultHost(), current.invalidates());
    }
}
