package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParsedPage;
import dev.quire.core.policy.CacheKey;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Collects one body as it comes, decodes it if it must be read, and parses it if it is a document.
 * What it holds is counted as in transit. Confined to the loop that fetches.
 */
final class BodyCollector {
    private final CacheKey key;
    private final Transit transit;
    private final long maxBytes;
    private final @Nullable EsiParser parser;
    private final @Nullable Inflating inflating;
    private final boolean isUnreadable;

    private @Nullable ParsedPage page;
    private @Nullable ByteBuf body;

    /** Of the bodies in transit, as received and decoded. */
    private long takenBytes;

    /**
     * @param maxBytes a longer body is a failure
     * @param parser null unless it is a document
     * @param inflating undoes its content coding; null if that stays as it is
     * @param isUnreadable whether it is a document in a coding that cannot be undone
     */
    BodyCollector(
            CacheKey key,
            Transit transit,
            long maxBytes,
            @Nullable EsiParser parser,
            @Nullable Inflating inflating,
            boolean isUnreadable) {
        this.key = key;
        this.transit = transit;
        this.maxBytes = maxBytes;
        this.parser = parser;
        this.inflating = inflating;
        this.isUnreadable = isUnreadable;
    }

    /** The body of {@code key} is longer than {@code maxBytes}. */
    static Failure tooLarge(CacheKey key, long maxBytes) {
        return new Failure(
                Side.ORIGIN, Kind.TOO_LARGE, key.url() + " is larger than " + maxBytes + " bytes");
    }

    /** Takes in {@code data}, which stays the caller's; after a failure nothing more. */
    @Nullable Failure add(ByteBuf data) {
        if (isUnreadable) {
            return new Failure(
                    Side.ORIGIN, Kind.MALFORMED, key.url() + " has an unsupported content coding");
        }
        if (inflating == null) {
            return keep(data);
        }
        int bytes = data.readableBytes();
        if (takenBytes + bytes > maxBytes) {
            return tooLarge(key, maxBytes);
        }
        var full = takeRoom(bytes);
        if (full == null) {
            inflating.add(data);
        }
        return full;
    }

    /** No more comes: a failure if the body is not whole by its own coding. */
    @Nullable Failure ended() {
        var failure = inflating == null ? null : inflating.decode(this::keep);
        if (failure == null && parser != null) {
            page = parser.finish();
        }
        return failure;
    }

    /** The document, once it has {@link #ended}; null if it is none. */
    @Nullable ParsedPage page() {
        return page;
    }

    /** Whether what is kept is, byte by byte, what was added, and needs no parsing. */
    boolean isAsReceived() {
        return parser == null && inflating == null;
    }

    /** How much of the body is kept. */
    long keptBytes() {
        return body == null ? 0 : body.readableBytes();
    }

    /** A copy of at most {@code most} bytes of what is kept, from {@code from} on. */
    ByteBuf copy(int from, int most) {
        var kept = body;
        if (kept == null) {
            throw new IllegalStateException("no body has been collected: " + key.url());
        }
        int bytes = Math.min(most, kept.readableBytes() - from);
        return ByteBufAllocator.DEFAULT
                .directBuffer(bytes)
                .writeBytes(kept, kept.readerIndex() + from, bytes);
    }

    /** What is kept, which from now on is the caller's; null if nothing is. */
    @Nullable ByteBuf surrender() {
        var kept = body;
        body = null;
        transit.give(takenBytes);
        takenBytes = 0;
        return kept;
    }

    /**
     * What is kept, in memory of exactly its size; of a document what {@link
     * ParsedPage#ofTextAlone} names: tags cost no memory, and no slice each. The caller owns it.
     */
    ByteBuf exactly() {
        var parsed = page;
        var collected = surrender();
        int bytes =
                parsed != null
                        ? parsed.textBytes()
                        : collected == null ? 0 : collected.readableBytes();
        var exact = UnpooledByteBufAllocator.DEFAULT.directBuffer(bytes, bytes);
        if (collected == null) {
            return exact;
        }
        if (parsed == null) {
            exact.writeBytes(collected);
        } else {
            parsed.forEachText(span ->
                    exact.writeBytes(
                            collected, collected.readerIndex() + span.start(), span.length()));
        }
        collected.release();
        return exact;
    }

    /** A copy of the document as it came. */
    byte[] source() {
        return body == null ? new byte[0] : ByteBufUtil.getBytes(body);
    }

    /** Drops what is kept. */
    void discard() {
        var kept = surrender();
        if (kept != null) {
            kept.release();
        }
        if (inflating != null) {
            inflating.discard();
        }
    }

    private @Nullable Failure keep(ByteBuf data) {
        int bytes = data.readableBytes();
        if (keptBytes() + bytes > maxBytes) {
            return tooLarge(key, maxBytes);
        }
        var full = takeRoom(bytes);
        if (full != null) {
            return full;
        }
        if (parser != null) {
            for (var chunk : data.nioBuffers()) {
                parser.feed(chunk);
            }
        }
        if (body == null) {
            body = ByteBufAllocator.DEFAULT.directBuffer(Math.max(bytes, 256));
        }
        body.writeBytes(data, data.readerIndex(), bytes);
        return null;
    }

    private @Nullable Failure takeRoom(int bytes) {
        if (!transit.tryTake(bytes)) {
            return new Failure(
                    Side.PROXY, Kind.OVERLOAD, "the limit for in-flight bodies is reached");
        }
        takenBytes += bytes;
        return null;
    }
}
