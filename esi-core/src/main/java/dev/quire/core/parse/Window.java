package dev.quire.core.parse;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The part of a document in memory while it is parsed: the current chunk, and the bytes of earlier
 * chunks that are still needed. Each of those is copied once, when its chunk ends.
 */
final class Window implements Document {

    private static final byte[] EMPTY = {};

    private byte[] retained = EMPTY;
    private int retainedStart;
    private int retainedEnd;
    private ByteBuffer piece = ByteBuffer.wrap(EMPTY);
    private int pieceStart;

    /** Begins a chunk, which must not change until it ends. */
    void begin(ByteBuffer next, int offset) {
        piece = next.slice();
        pieceStart = offset;
    }

    /**
     * Ends the chunk.
     *
     * @param from the offset from which the document will be needed again; negative if none of it
     *     will
     */
    void end(int from) {
        int end = pieceStart + piece.limit();
        if (from < 0 || from >= end) {
            retained = EMPTY;
            retainedStart = end;
            retainedEnd = end;
        } else if (from >= pieceStart || retainedStart == retainedEnd) {
            retainedStart = Math.max(from, pieceStart);
            retainedEnd = retainedStart;
            hold(retainedStart, end);
        } else {
            forgetUntil(from);
            hold(pieceStart, end);
        }
        piece = ByteBuffer.wrap(EMPTY);
        pieceStart = end;
    }

    /** Returns a copy of the bytes between two offsets. */
    byte[] bytes(int start, int end) {
        boolean isAtHand =
                start >= (retainedEnd == retainedStart ? pieceStart : retainedStart)
                        && end <= pieceStart + piece.limit();
        if (!isAtHand) {
            throw new IllegalStateException(
                    "bytes "
                            + start
                            + " to "
                            + end
                            + " are no longer retained; retained from "
                            + retainedStart
                            + " on");
        }
        var bytes = new byte[end - start];
        int copied = 0;
        if (start < retainedEnd) {
            copied = Math.min(end, retainedEnd) - start;
            System.arraycopy(retained, start - retainedStart, bytes, 0, copied);
        }
        if (copied < bytes.length) {
            piece.get(start + copied - pieceStart, bytes, copied, bytes.length - copied);
        }
        return bytes;
    }

    @Override
    public String text(int start, int end) {
        return new String(bytes(start, end), StandardCharsets.ISO_8859_1);
    }

    /* Only if that halves the retained bytes, so that every byte is moved at most once. */
    private void forgetUntil(int from) {
        int length = retainedEnd - retainedStart;
        int forgotten = from - retainedStart;
        if (2 * (long) forgotten > length) {
            System.arraycopy(retained, forgotten, retained, 0, length - forgotten);
            retainedStart = from;
        }
    }

    private void hold(int start, int end) {
        int length = retainedEnd - retainedStart;
        int added = end - start;
        if (length + added > retained.length) {
            long grown = Math.max(length + (long) added, retained.length + (retained.length >> 1));
            retained = Arrays.copyOf(retained, (int) Math.min(grown, Integer.MAX_VALUE - 8));
        }
        piece.get(start - pieceStart, retained, length, added);
        retainedEnd = end;
    }
}
