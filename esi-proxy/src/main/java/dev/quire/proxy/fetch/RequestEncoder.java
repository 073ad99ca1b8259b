package dev.quire.proxy.fetch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestEncoder;
import java.nio.charset.StandardCharsets;

/**
 * Encodes requests. Each char of a target is one byte, as received from the client; Netty's encoder
 * would write those above 0x7F as two.
 */
final class RequestEncoder extends HttpRequestEncoder {

    @Override
    protected void encodeInitialLine(ByteBuf out, HttpRequest request) {
        ByteBufUtil.copy(request.method().asciiName(), out);
        out.writeByte(' ');
        out.writeCharSequence(request.uri(), StandardCharsets.ISO_8859_1);
        ByteBufUtil.writeAscii(out, " HTTP/1.1\r\n");
    }
}
