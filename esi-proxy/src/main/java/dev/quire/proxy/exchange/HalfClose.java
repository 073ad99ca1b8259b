package dev.quire.proxy.exchange;

import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.TimeUnit;

/** Ends the sending side of a connection: the other end can still send. */
public final class HalfClose {
    private HalfClose() {}

    private static final long PATIENCE_SECONDS = 2;

    /** Ends it, then closes the connection when the other end has closed it, or after a limit. */
    public static void thenClose(DuplexChannel channel) {
        of(channel);
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
}
