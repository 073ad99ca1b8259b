package dev.quire.proxy.gzip;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.ContentCoding;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Decodes one body. Beyond its first MiB, the decoded body is limited to a hundred times the coded
 * one. Confined to one thread at a time.
 */
public abstract sealed class BodyDecoder permits InflatingDecoder, BrotliDecoder {
    private static final long RATIO_FREE_BYTES = 1024 * 1024;
    private static final long MAX_RATIO = 100;
    private static final int STEP_BYTES = 8 * 1024;

    /** Receives decoded data, which it must not keep; a failure stops decoding. */
    public interface Target {
        @Nullable Failure take(ByteBuf decoded);
    }

    private final ContentCoding coding;
    private final byte[] step = new byte[STEP_BYTES];
    private long codedBytes;
    private long decodedBytes;

    BodyDecoder(ContentCoding coding) {
        this.coding = coding;
    }

    /** Returns a decoder for {@code coding}, or null if it cannot be decoded. */
    public static @Nullable BodyDecoder of(ContentCoding coding) {
        return switch (coding) {
            case GZIP, DEFLATE -> new InflatingDecoder(coding);
            case BROTLI -> new BrotliDecoder();
            case IDENTITY, ZSTD, OTHER -> null;
        };
    }

    /** Decodes the next part of the body, {@code data}, which remains owned by the caller. */
    public final @Nullable Failure add(ByteBuf data, Target target) {
        codedBytes += data.readableBytes();
        return decode(data.duplicate(), target);
    }

    /** Decodes the rest. Returns a failure if the body is incomplete. */
    public final @Nullable Failure end(Target target) {
        return codedBytes == 0 ? null : finish(target);
    }

    /** Whether it decodes nothing before the end, and holds the coded body until then. */
    public abstract boolean isCollecting();

    /** Whether {@link #end} takes too long for an event loop. */
    public abstract boolean isLong();

    /** Releases its memory. */
    public abstract void discard();

    /** Decodes {@code data}, moving its reader index. */
    abstract @Nullable Failure decode(ByteBuf data, Target target);

    abstract @Nullable Failure finish(Target target);

    /** A buffer for decoded data. */
    final byte[] step() {
        return step;
    }

    /** Passes on the first {@code bytes} of {@link #step}. */
    final @Nullable Failure pass(int bytes, Target target) {
        decodedBytes += bytes;
        long most = Math.max(RATIO_FREE_BYTES, MAX_RATIO * codedBytes);
        return decodedBytes > most
                ? new Failure(
                        Side.ORIGIN,
                        Kind.TOO_LARGE,
                        coding + " body decodes to more than " + most + " bytes")
                : target.take(Unpooled.wrappedBuffer(step, 0, bytes));
    }

    final Failure malformed(@Nullable String how) {
        return new Failure(Side.ORIGIN, Kind.MALFORMED, "malformed " + coding + " body: " + how);
    }
}
