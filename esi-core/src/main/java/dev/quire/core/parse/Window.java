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

    private byte[] held = EMPTY;
    private int heldStart;
    private int heldEnd;
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
            held = EMPTY;
            heldStart = end;
            heldEnd = end;
        } else if (from >= pieceStart || heldStart == heldEnd) {
            heldStart = Math.max(from, pieceStart);
            heldEnd = heldStart;
            hold(heldStart, end);
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
                start >= (heldEnd == heldStart ? pieceStart : heldStart)
                        && end <= pieceStart + piece.limit();
        if (!isAtHand) {
            throw new IllegalStateException(
                    "bytes "
                            + start
                            + " to "
                            + end
                            + " are no longer held; held from "
                            + heldStart
                            + " on");
        }
        var bytes = new byte[end - start];
        int copied = 0;
        if (start < heldEnd) {
            copied = Math.min(end, heldEnd) - start;
            System.arraycopy(held, start - heldStart, bytes, 0, copied);
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

    /* Only if that halves the held bytes, so that every byte is moved at most once. */
    private void forgetUntil(int from) {
        int length = heldEnd - heldStart;
        int forgotten = from - heldStart;
        if (2 * (long) forgotten > length) {
            System.arraycopy(held, forgotten, held, 0, length - forgotten);
            heldStart = from;
        }
    }

    private void hold(int start, int end) {
        int length = heldEnd - heldStart;
        int added = end - start;
        if (length + added > held.length) {
            long grown = Math.max(length + (long) added, held.length + (held.length >> 1));
            held = Arrays.copyOf(held, (int) Math.min(grown, Integer.MAX_VALUE - 8));
        }
        piece.get(start - pieceStart, held, length, added);
        heldEnd = end;
    }
}
