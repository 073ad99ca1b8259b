package dev.quire.proxy.listen;

import dev.quire.core.http.HttpDate;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/** The static response to a refused request; contains nothing of the request. */
final class RefusalPage {
    private RefusalPage() {}

    /**
     * Returns the body.
     *
     * @param detail added to the text; may be empty
     */
    static byte[] text(int status, String detail) {
        var phrase = HttpResponseStatus.valueOf(status).reasonPhrase();
        return (phrase + (detail.isEmpty() ? "" : ": " + detail) + "\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Returns the complete response.
     *
     * @param detail added to the text; may be empty
     * @param wall its Date (RFC 9110 §6.6.1)
     */
    static ByteBuf of(
            ByteBufAllocator alloc, int status, String detail, boolean closes, Instant wall) {
        var phrase = HttpResponseStatus.valueOf(status).reasonPhrase();
        var text = text(status, detail);
        var out = alloc.directBuffer(256);
        ByteBufUtil.writeAscii(
                out,
                "HTTP/1.1 "
                        + status
                        + ' '
                        + phrase
                        + "\r\nDate: "
                        + HttpDate.format(wall)
                        + "\r\nContent-Type: text/plain; charset=utf-8"
                        + "\r\nCache-Control: no-store"
                        + "\r\nX-Content-Type-Options: nosniff"
                        + (status == 405
                                ? "\r\nAllow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
                                : "")
                        + "\r\nContent-Length: "
                        + text.length
                        + (closes ? "\r\nConnection: close" : "")
                        + "\r\n\r\n");
        return out.writeBytes(text);
    }
}
