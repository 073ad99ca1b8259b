package dev.quire.proxy.gzip;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.ContentCoding;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufInputStream;
import java.io.IOException;
import org.brotli.dec.BrotliInputStream;
import org.jspecify.annotations.Nullable;

/** Decodes brotli (RFC 7932) once the body is complete: the library reads from a stream. */
final class BrotliDecoder extends BodyDecoder {

    /** More takes longer than about a millisecond. */
    private static final int MAX_BYTES_ON_LOOP = 16 * 1024;

    private @Nullable ByteBuf coded;

    BrotliDecoder() {
        super(ContentCoding.BROTLI);
    }

    @Override
    public boolean isCollecting() {
        return true;
    }

    @Override
    public boolean isLong() {
        return coded != null && coded.readableBytes() > MAX_BYTES_ON_LOOP;
    }

    @Override
    @Nullable Failure decode(ByteBuf data, Target target) {
        if (coded == null) {
            coded = ByteBufAllocator.DEFAULT.heapBuffer(data.readableBytes());
        }
        coded.writeBytes(data);
        return null;
    }

    @Override
    @Nullable Failure finish(Target target) {
        if (coded == null) {
            return null;
        }
        try (var in = new BrotliInputStream(new ByteBufInputStream(coded))) {
            for (int bytes; (bytes = in.read(step())) >= 0; ) {
                var failure = pass(bytes, target);
                if (failure != null) {
                    return failure;
                }
            }
            return null;
        } catch (IOException | IndexOutOfBoundsException broken) {
            // The library does not check every index in a malformed body itself.
            return malformed(broken.getMessage());
        }
    }

    @Override
    public void discard() {
        if (coded != null) {
            coded.release();
            coded = null;
        }
    }
}
