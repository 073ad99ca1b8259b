package dev.quire.proxy.admin;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection whose request head is not complete within ten seconds of its first byte; the
 * first head, of the connection. Confined to the channel's loop; in front of the decoder.
 */
final class HeadDeadline extends ChannelInboundHandlerAdapter {
    static final Duration LIMIT = Duration.ofSeconds(10);

    private boolean isInRequest;
    private @Nullable Future<?> timer;

    /** The head is complete. */
    void received() {
        isInRequest = true;
        stop();
    }

    /** The response has been written. */
    void answered() {
        isInRequest = false;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        start(ctx);
        ctx.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!isInRequest && timer == null) {
            start(ctx);
        }
        ctx.fireChannelRead(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        stop();
        ctx.fireChannelInactive();
    }

    private void start(ChannelHandlerContext ctx) {
        timer =
                ctx.executor()
                        .schedule(
                                () -> {
                                    ctx.close();
                                },
                                LIMIT.toNanos(),
                                TimeUnit.NANOSECONDS);
    }

    private void stop() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
