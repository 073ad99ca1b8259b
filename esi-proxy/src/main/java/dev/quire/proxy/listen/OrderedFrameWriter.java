package dev.quire.proxy.listen;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.DefaultHttp2FrameWriter;
import io.netty.handler.codec.http2.Http2Settings;
import java.util.function.LongConsumer;

/**
 * Writes the frames that Netty sends, behind those of {@link FrameOutput} that precede them. Heads
 * and bodies never come here.
 */
final class OrderedFrameWriter extends DefaultHttp2FrameWriter {
    private final FrameOutput out;

    /** Gets the error codes of resets. */
    private LongConsumer resets = code -> {};

    OrderedFrameWriter(FrameOutput out) {
        this.out = out;
    }

    void onReset(LongConsumer taker) {
        resets = taker;
    }

    @Override
    public ChannelFuture writeRstStream(
            ChannelHandlerContext ctx, int streamId, long errorCode, ChannelPromise promise) {
        out.push();
        var written = super.writeRstStream(ctx, streamId, errorCode, promise);
        resets.accept(errorCode);
        return written;
    }

    @Override
    public ChannelFuture writeSettings(
            ChannelHandlerContext ctx, Http2Settings settings, ChannelPromise promise) {
        out.push();
        return super.writeSettings(ctx, settings, promise);
    }

    @Override
    public ChannelFuture writeSettingsAck(ChannelHandlerContext ctx, ChannelPromise promise) {
        out.push();
        return super.writeSettingsAck(ctx, promise);
    }

    @Override
    public ChannelFuture writePing(
            ChannelHandlerContext ctx, boolean ack, long data, ChannelPromise promise) {
        out.push();
        return super.writePing(ctx, ack, data, promise);
    }

    @Override
    public ChannelFuture writeGoAway(
            ChannelHandlerContext ctx,
            int lastStreamId,
            long errorCode,
            ByteBuf debugData,
            ChannelPromise promise) {
        out.push();
        return super.writeGoAway(ctx, lastStreamId, errorCode, debugData, promise);
    }

    @Override
    public ChannelFuture writeWindowUpdate(
            ChannelHandlerContext ctx, int streamId, int increment, ChannelPromise promise) {
        out.push();
        return super.writeWindowUpdate(ctx, streamId, increment, promise);
    }
}
