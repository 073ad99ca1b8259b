package dev.quire.proxy.redis;

import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.handler.flush.FlushConsolidationHandler;

/**
 * Adds handlers between a socket and Lettuce.
 *
 * @param valueBytes of the longest record
 */
record StorePipeline(int valueBytes) implements NettyCustomizer {
    private static final int COMMANDS = 256;

    @Override
    public void afterChannelInitialized(Channel channel) {
        var pipeline = channel.pipeline();
        var lettuce = pipeline.context(CommandHandler.class);
        // The commands of one turn of the loop, such as those of a page's fragments, leave
        // together.
        pipeline.addBefore(lettuce.name(), null, new FlushConsolidationHandler(COMMANDS, true));
        pipeline.addBefore(
                lettuce.name(),
                null,
                new ReplyLimit((CommandHandler) lettuce.handler(), valueBytes));
    }
}
