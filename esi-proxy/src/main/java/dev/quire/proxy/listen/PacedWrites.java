package dev.quire.proxy.listen;

import dev.quire.proxy.exchange.Outgoing;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;

/**
 * Passes bytes to the TLS handler only as the socket takes them. The TLS handler encrypts
 * everything that it is given at once, so that a client that reads nothing of a large stored body
 * would hold an encrypted copy of it. Confined to the channel's loop.
 */
final class PacedWrites extends ChannelDuplexHandler {
    private static final int PIECE_BYTES = 64 * 1024;

    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private boolean isFlushDue;

    /** Bytes that are not passed on yet; {@code promise} is done when they all are sent. */
    private record Waiting(ByteBuf bytes, ChannelPromise promise) {}

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (!(message instanceof ByteBuf bytes)) {
            ctx.write(message, promise);
        } else if (waiting.isEmpty() && bytes.readableBytes() <= PIECE_BYTES && isTaken(ctx)) {
            ctx.write(bytes, promise);
        } else {
            waiting.add(new Waiting(bytes, promise.unvoid()));
        }
    }

    /** Whether everything that was written has been passed on. */
    boolean isPassed() {
        return waiting.isEmpty();
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        isFlushDue = !waiting.isEmpty();
        ctx.flush();
        if (isFlushDue) {
            pass(ctx);
            if (waiting.isEmpty()) {
                // Not at once: what writes may be in the middle of it.
                ctx.executor().execute(ctx::fireChannelWritabilityChanged);
            }
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (isFlushDue) {
            pass(ctx);
        }
        if (waiting.isEmpty()) {
            ctx.fireChannelWritabilityChanged();
        }
    }

    private void pass(ChannelHandlerContext ctx) {
        while (!waiting.isEmpty() && isTaken(ctx)) {
            var next = waiting.peek();
            if (next.bytes().readableBytes() > PIECE_BYTES) {
                ctx.writeAndFlush(next.bytes().readRetainedSlice(PIECE_BYTES));
            } else {
                waiting.remove();
                ctx.writeAndFlush(next.bytes(), next.promise());
            }
        }
        isFlushDue = !waiting.isEmpty();
    }

    /** Whether the socket takes more. */
    private static boolean isTaken(ChannelHandlerContext ctx) {
        return Outgoing.pendingBytes(ctx.channel())
                < ctx.channel().config().getWriteBufferHighWaterMark();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        fail();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        fail();
        ctx.fireChannelInactive();
    }

    private void fail() {
        var closed = new ClosedChannelException();
        for (var each : waiting) {
            each.bytes().release();
            each.promise().tryFailure(closed);
        }
        waiting.clear();
    }
}
