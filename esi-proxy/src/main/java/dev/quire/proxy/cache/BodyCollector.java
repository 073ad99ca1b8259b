package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParsedPage;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.gzip.BodyDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Collects one body as it arrives, decodes it if it must be read, and parses it if it is a
 * document. Its memory counts as in-flight. Confined to the loop of the fetch.
 */
final class BodyCollector {

    /** Held while a long body is decoded, which may need several times its memory. */
    private static final Lock DECODING = new ReentrantLock();

    private final CacheKey key;
    private final InFlightBudget transit;
    private final long maxBytes;
    private final @Nullable EsiParser parser;
    private final boolean isDecoded;
    private final boolean isUnreadable;

    /** Null if the body is not decoded, or once another thread uses the decoder. */
    private @Nullable BodyDecoder decoder;

    private @Nullable ParsedPage page;
    private @Nullable ByteBuf body;

    /** In-flight bytes: decoded, and as received while they wait to be decoded. */
    private long takenBytes;

    private boolean isDiscarded;

    /**
     * @param maxBytes a longer body is a failure
     * @param parser null unless it is a document
     * @param decoder decodes the body; null to keep its content coding
     * @param isUnreadable whether it is a document in an unsupported coding
     */
    BodyCollector(
            CacheKey key,
            InFlightBudget transit,
            long maxBytes,
            @Nullable EsiParser parser,
            @Nullable BodyDecoder decoder,
            boolean isUnreadable) {
        this.key = key;
        this.transit = transit;
        this.maxBytes = maxBytes;
        this.parser = parser;
        this.decoder = decoder;
        this.isDecoded = decoder != null;
        this.isUnreadable = isUnreadable;
    }

    /** The body of {@code key} is longer than {@code maxBytes}. */
    static Failure tooLarge(CacheKey key, long maxBytes) {
        return new Failure(
                Side.ORIGIN, Kind.TOO_LARGE, key.url() + " is larger than " + maxBytes + " bytes");
    }

    /** Adds {@code data}, which remains owned by the caller. Not called after a failure. */
    @Nullable Failure add(ByteBuf data) {
        if (isUnreadable) {
            return new Failure(
                    Side.ORIGIN, Kind.MALFORMED, key.url() + " has an unsupported content coding");
        }
        var decoding = decoder;
        if (decoding == null) {
            return keep(data);
        }
        Failure full = null;
        if (decoding.isCollecting()) {
            int bytes = data.readableBytes();
            full = takenBytes + bytes > maxBytes ? tooLarge(key, maxBytes) : takeRoom(bytes);
        }
        return full == null ? decoding.add(data, this::keep) : full;
    }

    /**
     * Ends the body and calls {@code then} on {@code loop}: at once, or once a long body is
     * decoded, unless it was discarded meanwhile. {@code then} receives a failure if the content
     * coding is malformed.
     */
    void ended(Executor loop, Consumer<@Nullable Failure> then) {
        var decoding = decoder;
        if (decoding == null || !decoding.isLong()) {
            then.accept(parsed(decoding == null ? null : decoding.end(this::keep)));
            return;
        }
        decoder = null;
        Thread.ofVirtual()
                .name("decode")
                .start(() -> {
                    var plain = new ByteArrayOutputStream();
                    var done = new FutureTask<>(() -> rest(decoding, plain));
                    done.run();
                    loop.execute(() -> {
                        if (!isDiscarded) {
                            then.accept(parsed(kept(done, plain)));
                        }
                    });
                });
    }

    /** Decodes the rest into {@code plain}, on a thread that may block. */
    private @Nullable Failure rest(BodyDecoder decoding, ByteArrayOutputStream plain) {
        DECODING.lock();
        try {
            return decoding.end(DecodedBody.upTo(maxBytes, plain));
        } finally {
            DECODING.unlock();
            decoding.discard();
        }
    }

    /** Collects the bytes in {@code plain}, once {@code decoded} has decoded them. */
    private @Nullable Failure kept(
            FutureTask<@Nullable Failure> decoded, ByteArrayOutputStream plain) {
        if (decoded.state() == Future.State.FAILED) {
            return new Failure(Side.PROXY, Kind.BUG, decoded.exceptionNow().toString());
        }
        var failure = decoded.resultNow();
        return failure == null ? keep(Unpooled.wrappedBuffer(plain.toByteArray())) : failure;
    }

    private @Nullable Failure parsed(@Nullable Failure failure) {
        if (failure == null && parser != null) {
            page = parser.finish();
        }
        return failure;
    }

    /** The document after {@link #ended}; null if it is not a document. */
    @Nullable ParsedPage page() {
        return page;
    }

    /** Whether the collected bytes are the received bytes and need no parsing. */
    boolean isAsReceived() {
        return parser == null && !isDecoded;
    }

    long keptBytes() {
        return body == null ? 0 : body.readableBytes();
    }

    /** Copies at most {@code most} of the collected bytes, starting at {@code from}. */
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

    /** Returns the collected bytes, now owned by the caller, or null if empty. */
    @Nullable ByteBuf surrender() {
        var kept = body;
        body = null;
        transit.give(takenBytes);
        takenBytes = 0;
        return kept;
    }

    /**
     * Returns the collected bytes in a buffer of exactly their size, owned by the caller. For a
     * document, only the text of {@link ParsedPage#ofTextAlone}, so that tags use no memory.
     */
    ByteBuf exactly() {
        var parsed = page;
        int bytes = Math.toIntExact(parsed != null ? parsed.textBytes() : keptBytes());
        // First: if there is no memory for it, the collected bytes are discarded with the rest.
        var exact = UnpooledByteBufAllocator.DEFAULT.directBuffer(bytes, bytes);
        var collected = surrender();
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

    /** Returns a copy of the unprocessed document. */
    byte[] source() {
        return body == null ? new byte[0] : ByteBufUtil.getBytes(body);
    }

    /** Drops the collected bytes. */
    void discard() {
        var kept = surrender();
        if (kept != null) {
            kept.release();
        }
        isDiscarded = true;
        if (decoder != null) {
            decoder.discard();
            decoder = null;
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
