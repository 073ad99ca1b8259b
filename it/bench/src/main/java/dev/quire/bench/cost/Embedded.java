package dev.quire.bench.cost;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;

/** A client's connection without a socket, whose loop is the thread that asks. One thread. */
final class Embedded implements AutoCloseable {
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ByteBuf request;
    private final int bodyBytes;

    private Embedded(byte[] request, int bodyBytes) {
        this.request = Unpooled.directBuffer(request.length).writeBytes(request);
        this.bodyBytes = bodyBytes;
    }

    /**
     * Connects to the proxy of {@code site}, once that has everything stored that is asked for.
     *
     * @throws IOException if the site gives a wrong answer
     */
    static Embedded asking(Site site, Asked asked) throws IOException {
        int bodyBytes;
        try (var clients = Clients.of(site.address(), asked, site.body(asked), false)) {
            bodyBytes = clients.body().length;
        }
        var head = asked.requestHead(site.authority()) + "\r\n";
        var connection = new Embedded(head.getBytes(US_ASCII), bodyBytes);
        site.serve(connection.channel);
        connection.channel.pipeline().fireChannelActive();
        return connection;
    }

    /**
     * Asks, and gives back what is answered; how many bytes that is.
     *
     * @throws IllegalStateException if that cannot be the answer
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
