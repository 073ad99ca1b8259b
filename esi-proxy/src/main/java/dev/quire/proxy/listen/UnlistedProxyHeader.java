package dev.quire.proxy.listen;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.net.InetAddress;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a connection that begins with a header of the PROXY protocol, which its peer may not send;
 * leaves the pipeline if it begins otherwise. The handlers behind it limit the time.
 */
final class UnlistedProxyHeader extends ByteToMessageDecoder {
    private static final Logger LOG = LoggerFactory.getLogger(UnlistedProxyHeader.class);

    private final InetAddress peer;
    private final Consumer<ProxyHeaderResult> results;
    private boolean isRefused;

    /**
     * @param results is notified if there is a header
     */
    UnlistedProxyHeader(InetAddress peer, Consumer<ProxyHeaderResult> results) {
        this.peer = peer;
        this.results = results;
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (isRefused) {
            in.skipBytes(in.readableBytes());
            return;
        }
        switch (ProxyHeader.start(in)) {
            case UNDECIDED -> {}
            // Passes on the bytes.
            case OTHER -> ctx.pipeline().remove(this);
            case HEADER -> {
                isRefused = true;
                in.skipBytes(in.readableBytes());
                LOG.debug("connection from {} closed: PROXY header of an unlisted peer", peer);
                results.accept(ProxyHeaderResult.UNLISTED);
                ctx.close();
            }
        }
    }
}
