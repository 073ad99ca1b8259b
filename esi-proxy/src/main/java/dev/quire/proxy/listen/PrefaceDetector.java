package dev.quire.proxy.listen;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Reads the first bytes of a client connection until they are the preface of HTTP/2 (RFC 9113 §3.4)
 * or cannot become it, then leaves the pipeline to the protocol.
 */
final class PrefaceDetector extends ByteToMessageDecoder implements LoopConnection {
    private static final byte[] PREFACE =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final ClientProtocols protocols;
    private ChannelHandlerContext context;
    private long sinceNanos;
    private long firstByteNanos;
    private boolean hasBegun;

    @SuppressWarnings("NullAway.Init") // context is set before the first event
    PrefaceDetector(ClientProtocols protocols) {
        this.protocols = protocols;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        context = ctx;
        sinceNanos = protocols.siblings().now();
        protocols.siblings().opened(this);
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (!hasBegun) {
            hasBegun = true;
            firstByteNanos = protocols.siblings().now();
        }
        int bytes = Math.min(in.readableBytes(), PREFACE.length);
        for (int i = 0; i < bytes; i++) {
            if (in.getByte(in.readerIndex() + i) != PREFACE[i]) {
                protocols.http1(ctx.pipeline());
                leave(ctx);
                return;
            }
        }
        if (bytes == PREFACE.length) {
            protocols.http2(ctx.pipeline());
            leave(ctx);
        }
    }

    /** Passes the bytes on. */
    private void leave(ChannelHandlerContext ctx) {
        protocols.siblings().closed(this);
        ctx.fireChannelActive();
        ctx.pipeline().remove(this);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        protocols.siblings().closed(this);
        super.channelInactive(ctx);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }

    @Override
    public Arrival arrival() {
        return protocols.arrival();
    }

    /** Leaves a request that is on its way the same time as the protocols do. */
    @Override
    public void drain(GoAwayReason reason) {
        context.executor()
                .schedule(
                        () -> {
                            if (!context.isRemoved()) {
                                context.close();
                            }
                        },
                        Http2Handler.LAST_CHANCE_NANOS,
                        TimeUnit.NANOSECONDS);
    }

    @Override
    public void end() {
        context.close();
    }

    @Override
    public void check(long nowNanos) {
        var rules = protocols.rules().get();
        boolean isLate =
                hasBegun
                        ? nowNanos - firstByteNanos > rules.headNanos()
                        : nowNanos - sinceNanos
                                > Math.max(rules.headNanos(), rules.keepAliveNanos());
        if (isLate) {
            context.close();
        }
    }
}
