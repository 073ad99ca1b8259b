package dev.quire.proxy.listen;

import dev.quire.proxy.config.Http2Config;
import dev.quire.proxy.exchange.ExchangeHandler;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionDecoder;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2LocalFlowController;
import io.netty.handler.codec.http2.DefaultHttp2RemoteFlowController;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameReader;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2PromisedRequestVerifier;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.UniformStreamByteDistributor;
import java.util.function.Supplier;

/**
 * Netty's HTTP/2 codec for one client connection, with the limits of the {@code http2} section.
 *
 * @param gate in front of the decoder's reader
 * @param out the frames of responses
 */
record Http2Codec(
        Http2Connection connection,
        Http2ConnectionDecoder decoder,
        Http2ConnectionEncoder encoder,
        Http2Settings settings,
        OrderedFrameWriter writer,
        FrameGate gate,
        FrameOutput out,
        FloodBudgets budgets,
        ClosedStreams closed,
        int connectionWindowBytes) {
    private static final int DEFAULT_WINDOW_BYTES = 65_535;

    static Http2Handler handler(
            RequestValidator validator,
            ExchangeHandler exchanges,
            Supplier<ConnectionRules> rules,
            Arrival arrival,
            LoopConnections siblings) {
        return new Http2Handler(
                of(rules.get().settings().http2(), siblings),
                validator,
                exchanges,
                rules,
                arrival,
                siblings);
    }

    static Http2Codec of(Http2Config limits, LoopConnections siblings) {
        var connection = new DefaultHttp2Connection(true, 0);
        connection
                .remote()
                .flowController(
                        new DefaultHttp2RemoteFlowController(
                                connection, new UniformStreamByteDistributor(connection)));
        connection.local().flowController(new DefaultHttp2LocalFlowController(connection));

        var out = new FrameOutput(siblings.traffic());
        var writer = new OrderedFrameWriter(out);
        var encoder = new DefaultHttp2ConnectionEncoder(connection, writer);
        var budgets = new FloodBudgets(Math.max(DEFAULT_WINDOW_BYTES, limits.windowBytes()));
        var closed = new ClosedStreams();
        var gate =
                new FrameGate(
                        new DefaultHttp2FrameReader(new Lists(limits.headerListBytes())),
                        connection,
                        closed,
                        budgets,
                        siblings::now);
        return new Http2Codec(
                connection,
                new Decoder(connection, encoder, gate),
                encoder,
                new Http2Settings()
                        .maxConcurrentStreams(limits.streams())
                        .initialWindowSize(limits.windowBytes())
                        .connectProtocolEnabled(true)
                        .maxHeaderListSize(limits.headerListBytes()),
                writer,
                gate,
                out,
                budgets,
                closed,
                limits.connectionWindowBytes());
    }

    /**
     * The length of an encoded header block that ends the connection. Shorter ones are decoded,
     * since the tables of both sides must agree, and refused if they decode to more than the limit.
     */
    static long longestBlock(long headerListBytes) {
        long frames = FrameGate.MAX_CONTINUATIONS + 1L;
        return Math.max(frames * FrameOutput.MAX_FRAME_BYTES, 2 * headerListBytes);
    }

    /** Decodes header lists, without checks. */
    private static final class Lists extends DefaultHttp2HeadersDecoder {
        Lists(long headerListBytes) {
            super(false, headerListBytes);
            try {
                maxHeaderListSize(headerListBytes, longestBlock(headerListBytes));
            } catch (Http2Exception wrong) {
                throw new IllegalStateException("expected limits of header lists", wrong);
            }
        }

        @Override
        protected Http2Headers newHeaders() {
            return new RequestLines();
        }
    }

    /** Acknowledges SETTINGS and PING; {@link RequestValidator} checks the fields. */
    private static final class Decoder extends DefaultHttp2ConnectionDecoder {
        Decoder(
                Http2Connection connection,
                Http2ConnectionEncoder encoder,
                Http2FrameReader reader) {
            super(
                    connection,
                    encoder,
                    reader,
                    Http2PromisedRequestVerifier.ALWAYS_VERIFY,
                    true,
                    true,
                    false);
        }

        @Override
        protected long calculateMaxHeaderListSizeGoAway(long maxHeaderListSize) {
            return longestBlock(maxHeaderListSize);
        }
    }
}
