package dev.quire.proxy.exchange;

import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;

/** Ends the sending side of a connection: the other end can still send. */
public final class HalfClose {
    private HalfClose() {}

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
