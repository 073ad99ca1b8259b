package dev.quire.proxy.redis;

import io.lettuce.core.protocol.CommandHandler;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Closes a connection on which a reply comes that is longer than any record: Lettuce would collect
 * it in memory. In front of Lettuce's handler.
 */
final class ReplyLimit extends ChannelInboundHandlerAdapter {

    /** The rest of an earlier reply in the same read, and what is around a record. */
    private static final int MARGIN = 128 << 10;

    private final CommandHandler lettuce;
    private final long mostBytes;

    /** Read since the last reply that is complete. */
    private long bytes;

    /** Limits replies to values of {@code valueBytes}. */
    ReplyLimit(CommandHandler lettuce, int valueBytes) {
        this.lettuce = lettuce;
        this.mostBytes = (long) valueBytes + MARGIN;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // The same command, not an equal one.
    public void channelRead(ChannelHandlerContext context, Object message) {
        long read = message instanceof ByteBuf buffer ? buffer.readableBytes() : 0;
        var before = lettuce.getStack().peek();
        context.fireChannelRead(message);
        bytes = lettuce.getStack().peek() == before ? bytes + read : 0;
        if (bytes > mostBytes) {
            context.close();
        }
    }
}
