package dev.quire.proxy.fetch;

import dev.quire.proxy.route.OriginSettings;
import dev.quire.proxy.tls.ClientTls;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.handler.ssl.SslHandler;
import org.jspecify.annotations.Nullable;

/**
 * How connections to one server are opened.
 *
 * @param tls null for a server without TLS
 */
record ServerSockets(
        OriginSettings.Url url,
        ChannelFactory<? extends Channel> channels,
        Addresses addresses,
        @Nullable ClientTls tls) {

    /** Adds TLS to {@code opened}, which is not connected yet; returns null without TLS. */
    @Nullable SslHandler secure(Channel opened) {
        if (tls == null) {
            return null;
        }
        var handler = tls.handler(opened, url.host(), url.port());
        opened.pipeline().addLast(handler);
        return handler;
    }
}
