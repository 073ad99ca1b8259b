package dev.quire.proxy.cache;

import dev.quire.proxy.gzip.GzipPiece;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The compressed pieces of one body, by span. Lookups take no lock; changes are guarded by its own
 * monitor, under which nothing blocks. Released with the body.
 */
final class Pieces {

    /** Further spans of a document are sent uncompressed. */
    static final int MAX_PIECES = 1_024;

    /** One span of the body, compressed. */
    private record Entry(long span, GzipPiece piece) {}

    private static final Entry[] NONE = {};

    /** Sorted by span; copied on write. */
    private volatile Entry[] entries = NONE;

    private final Set<Long> underWay = new HashSet<>(0);
    private long weightBytes;
    private boolean isClosed;

    /** Returns the piece from {@code start} to {@code end}, or null if it is not cached. */
    @Nullable GzipPiece find(int start, int end) {
        var all = entries;
        int at = place(all, span(start, end));
        return at < 0 ? null : all[at].piece();
    }

    /** Whether the caller must create the piece and then call {@link #made}. */
    synchronized boolean isToBeMade(int start, int end) {
        long span = span(start, end);
        return !isClosed
                && entries.length + underWay.size() < MAX_PIECES
                && place(entries, span) < 0
                && underWay.add(span);
    }

    /**
     * Stores a new piece; takes over its reference.
     *
     * @param piece null if it could not be created
     */
    synchronized void made(int start, int end, @Nullable GzipPiece piece) {
        long span = span(start, end);
        underWay.remove(span);
        if (piece == null) {
            return;
        }
        if (isClosed) {
            piece.release();
            return;
        }
        int at = ~place(entries, span);
        var more = new Entry[entries.length + 1];
        System.arraycopy(entries, 0, more, 0, at);
        more[at] = new Entry(span, piece);
        System.arraycopy(entries, at, more, at + 1, entries.length - at);
        weightBytes += Footprint.PIECE_BYTES + piece.weightBytes();
        entries = more;
    }

    synchronized List<byte[]> copies() {
        return Arrays.stream(entries).map(each -> each.piece().copy()).toList();
    }

    synchronized long weightBytes() {
        return weightBytes;
    }

    synchronized void release() {
        isClosed = true;
        for (var each : entries) {
            each.piece().release();
        }
        entries = NONE;
    }

    /** The index of {@code span} in {@code all}, or the complement of its insertion point. */
    private static int place(Entry[] all, long span) {
        int from = 0;
        int to = all.length - 1;
        while (from <= to) {
            int middle = (from + to) >>> 1;
            int order = Long.compare(all[middle].span(), span);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                from = middle + 1;
            } else {
                to = middle - 1;
            }
        }
        return ~from;
    }

    private static long span(int start, int end) {
        return (long) start << Integer.SIZE | end;
    }
}
