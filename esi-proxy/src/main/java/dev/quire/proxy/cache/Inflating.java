package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.Fields;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.ZlibCodecFactory;
import io.netty.handler.codec.compression.ZlibWrapper;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Undoes the coding of a body that must be read: gzip or deflate, alone. Bounded: what it yields
 * stays below a limit, and past 1 MiB below a hundred times what went in.
 */
final class Inflating {
    private static final long RATIO_FREE_BYTES = 1024 * 1024;
    private static final long MAX_RATIO = 100;

    private final @Nullable EmbeddedChannel channel;
    private final String coding;
    private final long maxBytes;
    private long inBytes;
    private long outBytes;

    /** Takes what has been decoded; a failure stops decoding. */
    interface Target {
        @Nullable Failure take(ByteBuf decoded);
    }

    private Inflating(@Nullable EmbeddedChannel channel, String coding, long maxBytes) {
        this.channel = channel;
        this.coding = coding;
        this.maxBytes = maxBytes;
    }

    /** A decoder for the codings {@code fields} name; null if there are none. */
    static @Nullable Inflating of(Fields fields, long maxBytes) {
        var codings = String.join(",", fields.all("content-encoding")).strip();
        return switch (codings.toLowerCase(Locale.ROOT)) {
            case "", "identity" -> null;
            case "gzip", "x-gzip" -> new Inflating(decoder(ZlibWrapper.GZIP), codings, maxBytes);
            case "deflate" -> new Inflating(decoder(ZlibWrapper.ZLIB_OR_NONE), codings, maxBytes);
            default -> new Inflating(null, codings, maxBytes);
        };
    }

    /** Decodes {@code data}, which stays the caller's. */
    @Nullable Failure add(ByteBuf data, Target target) {
        if (channel == null) {
            return malformed("content coding " + coding + " is not known");
        }
        inBytes += data.readableBytes();
        try {
            channel.writeInbound(data.retainedDuplicate());
        } catch (DecompressionException bad) {
            return malformed("content coding " + coding + ": " + bad.getMessage());
        }
        for (ByteBuf decoded; (decoded = channel.readInbound()) != null; ) {
            try {
                outBytes += decoded.readableBytes();
                if (outBytes > maxBytes
                        || (outBytes > RATIO_FREE_BYTES && outBytes > inBytes * MAX_RATIO)) {
                    return new Failure(
                            Side.ORIGIN, Kind.TOO_LARGE, coding + " inflates to too much");
                }
                var failure = target.take(decoded);
                if (failure != null) {
                    return failure;
                }
            } finally {
                decoded.release();
            }
        }
        return null;
    }

    void discard() {
        if (channel != null) {
            channel.finishAndReleaseAll();
        }
    }

    private static EmbeddedChannel decoder(ZlibWrapper wrapper) {
        return new EmbeddedChannel(ZlibCodecFactory.newZlibDecoder(wrapper, 0));
    }

    private static Failure malformed(String detail) {
        return new Failure(Side.ORIGIN, Kind.MALFORMED, detail);
    }
}
