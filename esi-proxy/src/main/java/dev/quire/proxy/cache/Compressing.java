package dev.quire.proxy.cache;

import dev.quire.proxy.gzip.GzipPiece;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Compresses pieces of stored bodies when somebody first wants them; the entry keeps them. Safe for
 * all threads; nothing in it waits.
 */
public final class Compressing {

    /** What may be compressed for one answer on its event loop: that takes about a millisecond. */
    public static final int MAX_BYTES_ON_LOOP = 64 * 1024;

    private final PageStore store;
    private final Executor aside;

    /**
     * @param aside runs what is too long for an event loop
     */
    public Compressing(PageStore store, Executor aside) {
        this.store = store;
        this.aside = aside;
    }

    /**
     * Compresses the bytes of {@code body} from {@code start} to {@code end}, for as long as the
     * caller's reference of it, if they are not kept so yet. Null if they are to be sent as they
     * are: what is not stored is not worth it, or is one client's own and must not stand beside
     * what others may have chosen; and what is longer than {@code mostBytes} is only begun here,
     * for those who come later.
     */
    public @Nullable GzipPiece compress(StoredResponse body, int start, int end, int mostBytes) {
        var pieces = body.pieces();
        if (!body.isInStore() || !pieces.isToBeMade(start, end)) {
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
