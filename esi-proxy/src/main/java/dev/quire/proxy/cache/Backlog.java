package dev.quire.proxy.cache;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;

/** The queue of body data that was received and not yet consumed. It counts as in-flight memory. */
final class Backlog {
    private final InFlightBudget transit;
    private final ArrayDeque<ByteBuf> pieces = new ArrayDeque<>(0);

    Backlog(InFlightBudget transit) {
        this.transit = transit;
    }

    boolean isEmpty() {
        return pieces.isEmpty();
    }

    /** Takes over one reference. */
    void add(ByteBuf piece) {
        if (piece.isReadable()) {
            transit.charge(piece.readableBytes());
            pieces.addLast(piece);
        } else {
            piece.release();
        }
    }

    /** Returns the next piece, of at most {@code most} bytes; the caller owns one reference. */
    ByteBuf next(int most) {
        var first = pieces.getFirst();
        int bytes = Math.min(most, first.readableBytes());
        transit.give(bytes);
        if (bytes == first.readableBytes()) {
            return pieces.removeFirst();
        }
        return first.readRetainedSlice(bytes);
    }

    /** Drops everything. */
    void discard() {
        for (var piece : pieces) {
            transit.give(piece.readableBytes());
            piece.release();
        }
        pieces.clear();
    }
}
