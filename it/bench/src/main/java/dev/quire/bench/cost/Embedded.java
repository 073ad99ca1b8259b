package dev.quire.bench.cost;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;

/** A client connection without a socket; the calling thread is its event loop. Not thread-safe. */
final class Embedded implements AutoCloseable {
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ByteBuf request;
    private final int bodyBytes;

    private Embedded(byte[] request, int bodyBytes) {
        this.request = Unpooled.directBuffer(request.length).writeBytes(request);
        this.bodyBytes = bodyBytes;
    }

    /**
     * Connects to the proxy of {@code site} after everything requested is stored.
     *
     * @throws IOException if a response is wrong
     */
    static Embedded asking(Site site, Asked asked) throws IOException {
        int bodyBytes;
        try (var clients = Clients.of(site.address(asked), asked, site.body(asked), false)) {
            bodyBytes = clients.body().length;
        }
        var head = asked.requestHead(site.authority(asked)) + "\r\n";
        var connection = new Embedded(head.getBytes(US_ASCII), bodyBytes);
        site.serve(asked, connection.channel);
        connection.channel.pipeline().fireChannelActive();
        return connection;
    }

    /**
     * Sends a request and releases the response; returns its number of bytes.
     *
     * @throws IllegalStateException if the response is too short
     */
    long ask() {
        channel.writeInbound(request.retainedDuplicate());
        long bytes = 0;
        while (channel.readOutbound() instanceof ByteBuf part) {
            bytes += part.readableBytes();
            part.release();
        }
        if (bytes <= bodyBytes) {
            throw new IllegalStateException(
                    "expected a head and a body of " + bodyBytes + " bytes, found " + bytes);
        }
        return bytes;
    }

    @Override
    public void close() {
        channel.finishAndReleaseAll();
        request.release();
    }
}
