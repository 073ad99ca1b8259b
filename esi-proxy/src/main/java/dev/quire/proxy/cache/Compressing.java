package dev.quire.proxy.cache;

import dev.quire.proxy.gzip.GzipPiece;
import dev.quire.proxy.gzip.GzipStream;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Compresses parts of stored bodies on first use; they are cached with the response. Limits how
 * many others are compressed in passing. Thread-safe; never blocks.
 */
public final class Compressing {

    /** Limit per response for compressing on its event loop, where it takes about a millisecond. */
    public static final int MAX_BYTES_ON_LOOP = 64 * 1024;

    /** Limit of bodies compressed in passing at a time: each deflater takes a quarter of a MiB. */
    public static final int MAX_STREAMS = 64;

    private final PageStore store;
    private final Executor aside;
    private final Semaphore streams = new Semaphore(MAX_STREAMS);

    /**
     * @param aside runs compression that is too long for an event loop
     */
    public Compressing(PageStore store, Executor aside) {
        this.store = store;
        this.aside = aside;
    }

    /**
     * Returns the bytes of {@code body} from {@code start} to {@code end} compressed, valid as long
     * as the caller's reference. Returns null if they must be sent uncompressed because the
     * response is not stored: compressing it would not pay off, and a private one must not share a
     * compression window with data of others. More than {@code mostBytes} are compressed in the
     * background, for later responses.
     */
    public @Nullable GzipPiece compress(StoredResponse body, int start, int end, int mostBytes) {
        var pieces = body.pieces();
        if (!(body.isInStore() || isOfLowerTier(body)) || !pieces.isToBeMade(start, end)) {
            return null;
        }
        if (end - start <= mostBytes) {
            make(body, start, end);
            return pieces.find(start, end);
        }
        if (!body.tryRetain()) {
            throw new IllegalStateException("the caller holds no reference to " + body.key().url());
        }
        aside.execute(() -> {
            try {
                make(body, start, end);
            } finally {
                body.release();
            }
        });
        return null;
    }

    /** Whether it may have been read from a tier below the memory. */
    private boolean isOfLowerTier(StoredResponse body) {
        return store.hasLowerTier() && body.isShared() && body.hash() != null;
    }

    /**
     * Begins to compress a body as it is passed on. Returns null if it must be sent uncompressed
     * because {@link #MAX_STREAMS} others are being compressed.
     */
    public @Nullable GzipStream stream(ByteBufAllocator alloc) {
        return streams.tryAcquire() ? new GzipStream(alloc, streams::release) : null;
    }

    /**
     * Updates the weight of {@code response} if forms of its head were made since the last call.
     */
    public void headSent(StoredResponse response) {
        if (response.text().hasGrown() && response.isInStore()) {
            store.weighsMore(response);
        }
    }

    private void make(StoredResponse body, int start, int end) {
        GzipPiece piece = null;
        try {
            var plain = body.body();
            piece = GzipPiece.of(plain.nioBuffer(plain.readerIndex() + start, end - start));
        } finally {
            body.pieces().made(start, end, piece);
        }
        store.weighsMore(body);
    }
}
