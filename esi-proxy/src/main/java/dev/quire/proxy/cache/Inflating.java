package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.ContentCoding;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.ResponseFields;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a body that must be read: gzip (RFC 1952) or deflate (RFC 1950, or raw RFC 1951, which
 * some servers send under that name). Collects the coded body and decodes it once complete. This is
 * rare, since no content coding is requested from origins.
 */
final class Inflating {
    private static final long RATIO_FREE_BYTES = 1024 * 1024;
    private static final long MAX_RATIO = 100;
    private static final int STEP_BYTES = 8 * 1024;
    private static final int ZLIB_HEADER_MULTIPLE = 31;

    /** Receives decoded data, which it must not keep; a failure stops decoding. */
    interface Target {
        @Nullable Failure take(ByteBuf decoded);
    }

    private final ContentCoding coding;
    private @Nullable ByteBuf coded;

    private Inflating(ContentCoding coding) {
        this.coding = coding;
    }

    /** Returns a decoder for the coding named by {@code fields}, or null if it is not supported. */
    static @Nullable Inflating of(Fields fields) {
        var coding = ContentCoding.of(fields);
        return coding.isUndoable() ? new Inflating(coding) : null;
    }

    /** Adds {@code data}, which remains owned by the caller. */
    void add(ByteBuf data) {
        if (coded == null) {
            coded = ByteBufAllocator.DEFAULT.heapBuffer(data.readableBytes());
        }
        coded.writeBytes(data, data.readerIndex(), data.readableBytes());
    }

    /** Decodes the collected body. Beyond 1 MiB the expansion is limited to a factor of 100. */
    @Nullable Failure decode(Target target) {
        if (coded == null) {
            return null;
        }
        long most = Math.max(RATIO_FREE_BYTES, MAX_RATIO * coded.readableBytes());
        var step = new byte[STEP_BYTES];
        long yielded = 0;
        try (var in = decoder(coded)) {
            for (int bytes; (bytes = in.read(step)) >= 0; ) {
                yielded += bytes;
                if (yielded > most) {
                    return new Failure(
                            Side.ORIGIN,
                            Kind.TOO_LARGE,
                            coding + " body decodes to more than " + most + " bytes");
                }
                var failure = target.take(Unpooled.wrappedBuffer(step, 0, bytes));
                if (failure != null) {
                    return failure;
                }
            }
            return null;
        } catch (IOException broken) {
            return new Failure(
                    Side.ORIGIN,
                    Kind.MALFORMED,
                    "malformed " + coding + " body: " + broken.getMessage());
        }
    }

    /**
     * Returns the decoded body of {@code response}, or null if its coding is not supported or
     * malformed, or if it is larger than {@code mostBytes}.
     */
    static byte @Nullable [] decoded(StoredResponse response, long mostBytes) {
        var inflating = of(response.head().fields());
        if (inflating == null) {
            return null;
        }
        var plain = new ByteArrayOutputStream();
        inflating.add(response.body());
        try {
            var failure =
                    inflating.decode(decoded -> {
                        if (plain.size() + decoded.readableBytes() > mostBytes) {
                            return new Failure(
                                    Side.ORIGIN, Kind.TOO_LARGE, "more than " + mostBytes);
                        }
                        plain.writeBytes(ByteBufUtil.getBytes(decoded));
                        return null;
                    });
            return failure == null ? plain.toByteArray() : null;
        } finally {
            inflating.discard();
        }
    }

    /** Releases the collected body. */
    void discard() {
        if (coded != null) {
            coded.release();
            coded = null;
        }
    }

    private InputStream decoder(ByteBuf body) throws IOException {
        var in = new ByteBufInputStream(body);
        return coding == ContentCoding.GZIP
                ? new GZIPInputStream(in)
                : new BareOrWrapped(in, new Inflater(!isZlib(body)));
    }

    private static boolean isZlib(ByteBuf body) {
        return body.readableBytes() > 1
                && (body.getByte(body.readerIndex()) & 0x0f) == Deflater.DEFLATED
                && body.getUnsignedShort(body.readerIndex()) % ZLIB_HEADER_MULTIPLE == 0;
    }

    /** An inflating stream that owns its inflater. */
    private static final class BareOrWrapped extends InflaterInputStream {
        BareOrWrapped(InputStream in, Inflater inflater) {
            super(in, inflater);
        }

        @Override
        public void close() throws IOException {
            super.close();
            inf.end();
        }
    }

    static ResponseHead decoded(ResponseHead head) {
        return new ResponseHead(head.status(), head.reason(), decoded(head.fields()));
    }

    /** {@code fields} without those that describe the coded body. */
    static Fields decoded(Fields fields) {
        return fields.without(Inflating::isOfTheCodedBody);
    }

    private static boolean isOfTheCodedBody(String name) {
        return ResponseFields.isOfBytes(name) || name.equalsIgnoreCase("content-length");
    }
}
