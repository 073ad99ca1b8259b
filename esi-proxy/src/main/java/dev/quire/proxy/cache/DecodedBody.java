package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.ContentCoding;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.ResponseFields;
import dev.quire.proxy.gzip.BodyDecoder;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/** Stored bodies and heads without their content coding. */
final class DecodedBody {
    private DecodedBody() {}

    /**
     * Returns the decoded body of {@code response}, or null if its coding is not supported or
     * malformed, or if it is larger than {@code mostBytes}.
     */
    static byte @Nullable [] of(StoredResponse response, long mostBytes) {
        var decoder = BodyDecoder.of(ContentCoding.of(response.head().fields()));
        if (decoder == null) {
            return null;
        }
        try {
            var plain = new ByteArrayOutputStream();
            var target = upTo(mostBytes, plain);
            var failure = decoder.add(response.body(), target);
            if (failure == null) {
                failure = decoder.end(target);
            }
            return failure == null ? plain.toByteArray() : null;
        } finally {
            decoder.discard();
        }
    }

    /** Writes decoded data to {@code out}; more than {@code mostBytes} are a failure. */
    static BodyDecoder.Target upTo(long mostBytes, ByteArrayOutputStream out) {
        return decoded -> {
            if (out.size() + decoded.readableBytes() > mostBytes) {
                return new Failure(
                        Side.ORIGIN,
                        Kind.TOO_LARGE,
                        "the decoded body is larger than " + mostBytes + " bytes");
            }
            out.writeBytes(ByteBufUtil.getBytes(decoded));
            return null;
        };
    }

    /** {@code fields} without those that describe the coded body. */
    static Fields fields(Fields fields) {
        return fields.without(DecodedBody::isOfTheCodedBody);
    }

    private static boolean isOfTheCodedBody(String name) {
        return ResponseFields.isOfBytes(name) || name.equalsIgnoreCase("content-length");
    }
}
