package dev.quire.proxy.exchange;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/** Ends the sending side of a connection: the other end can still send. */
public final class HalfClose {
    private HalfClose() {}

    private static final long PATIENCE_SECONDS = 2;
    private static final Discard DISCARD = new Discard();

    /**
     * Ends it, then closes the connection when the other end has closed it, or after a limit. Bytes
     * that arrive meanwhile are discarded.
     */
    public static void thenClose(Channel channel) {
        if (channel.isActive() && channel instanceof DuplexChannel duplex) {
            thenClose(duplex);
        } else {
            channel.close();
        }
    }

    private static void thenClose(DuplexChannel channel) {
        // Later: the engine of TLS, if closed while it decrypts, takes the input for ended as well.
        channel.eventLoop()
                .execute(() -> {
                    if (channel.isInputShutdown()) {
                        channel.close();
                    } else if (channel.isActive()) {
                        channel.pipeline().addFirst(DISCARD);
                        of(channel);
                    }
                });
        var late =
                channel.eventLoop()
                        .schedule(
                                () -> {
                                    channel.close();
                                },
                                PATIENCE_SECONDS,
                                TimeUnit.SECONDS);
        channel.closeFuture().addListener(closed -> late.cancel(false));
    }

    /** Ends it after what was written; with TLS also by close_notify (RFC 8446 §6.1). */
    public static void of(DuplexChannel channel) {
        var tls = channel.pipeline().get(SslHandler.class);
        if (tls == null) {
            channel.shutdownOutput();
        } else {
            tls.closeOutbound().addListener(sent -> channel.shutdownOutput());
        }
    }

    /**
     * Whether TLS sends nothing more. OpenSSL's ends both directions when it receives close_notify.
     */
    public static boolean isOutputOver(Channel channel) {
        var tls = channel.pipeline().get(SslHandler.class);
        return tls != null && tls.engine().isOutboundDone();
    }

    /** Whether TLS has received close_notify: the other end sends nothing more. */
    static boolean isInputOver(Channel channel) {
        var tls = channel.pipeline().get(SslHandler.class);
        // A fault ends the engine's input as well.
        return tls != null && tls.sslCloseFuture().isSuccess() && tls.engine().isInboundDone();
    }

    /** Takes the bytes in front of TLS, which need not decrypt them; closes behind the last. */
    @Sharable
    private static final class Discard extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                ctx.channel().close();
            } else {
                ctx.fireUserEventTriggered(event);
            }
        }
    }
}
