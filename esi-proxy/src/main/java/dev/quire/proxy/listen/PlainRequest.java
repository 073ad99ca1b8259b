package dev.quire.proxy.listen;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.proxy.exchange.HalfClose;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;

/**
 * Answers a connection without TLS on a port with TLS: a browser that is sent to the wrong scheme
 * gets a readable response. Removes itself once the first byte is that of a TLS record.
 */
final class PlainRequest extends ChannelInboundHandlerAdapter {
    private static final int HANDSHAKE_RECORD = 22;
    private static final String BODY = "This port speaks TLS: use https in place of http.\n";
    private static final byte[] RESPONSE =
            """
            HTTP/1.1 400 Bad Request\r
            Content-Type: text/plain\r
            Cache-Control: no-store\r
            Connection: close\r
            Content-Length: %d\r
            \r
            %s\
            """
                    .formatted(BODY.length(), BODY)
                    .getBytes(US_ASCII);

    private final Runnable whenAnswered;
    private boolean isAnswered;

    PlainRequest(Runnable whenAnswered) {
        this.whenAnswered = whenAnswered;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (isAnswered || !(message instanceof ByteBuf bytes) || !bytes.isReadable()) {
            ReferenceCountUtil.release(message);
            return;
        }
        int first = bytes.getUnsignedByte(bytes.readerIndex());
        if (first == HANDSHAKE_RECORD) {
            ctx.pipeline().remove(this);
            ctx.fireChannelRead(bytes);
            return;
        }
        bytes.release();
        isAnswered = true;
        whenAnswered.run();
        if (first >= 'A' && first <= 'Z') {
            ctx.writeAndFlush(Unpooled.wrappedBuffer(RESPONSE))
                    .addListener(sent -> HalfClose.thenClose(ctx.channel()));
        } else {
            ctx.close();
        }
    }
}
