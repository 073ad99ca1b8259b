package dev.quire.test.wire.internal;

import dev.quire.core.http.Fields;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2HeadersDecoder;
import java.io.IOException;
import java.util.ArrayList;

/** Decodes the blocks of fields of one connection, in order of arrival. One thread. */
final class ReceivedFields {
    private static final long LARGEST_LIST = 1024 * 1024;

    private final Http2HeadersDecoder decoder =
            new DefaultHttp2HeadersDecoder(true, false, LARGEST_LIST);

    /**
     * The fields of {@code block}; pseudo-fields keep their colon.
     *
     * @throws IOException if the block is invalid
     */
    Fields decoded(int stream, byte[] block) throws IOException {
        var buffer = Unpooled.wrappedBuffer(block);
        try {
            var lines = new ArrayList<String>();
            for (var field : decoder.decodeHeaders(stream, buffer)) {
                lines.add(field.getKey().toString());
                lines.add(field.getValue().toString());
            }
            return Fields.of(lines.toArray(String[]::new));
        } catch (Http2Exception e) {
            throw new IOException("an invalid block of fields: " + e.getMessage(), e);
        } finally {
            buffer.release();
        }
    }
}
