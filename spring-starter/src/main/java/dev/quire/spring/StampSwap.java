package dev.quire.spring;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * Puts other bytes where a pattern stands, in bytes that pass in pieces. It keeps back no more than
 * the beginning of a pattern whose rest may come, so that every piece makes at most one write.
 */
final class StampSwap {

    private final Placeholder.Finder finder;
    private final byte[] replacement;

    /** How much of the pattern the last piece ended with; that is all there is to keep. */
    private int kept;

    /**
     * A swap for one body.
     *
     * @param replacement not longer than the pattern
     */
    StampSwap(Placeholder.Finder finder, byte[] replacement) {
        this.finder = finder;
        this.replacement = replacement;
    }

    /** Whether something is kept back. */
    boolean isKeeping() {
        return kept > 0;
    }

    /** {@code bytes}, which are all there is; the same array if nothing is to be done. */
    byte[] all(byte[] bytes) {
        int first = finder.first(bytes, 0, bytes.length);
        if (first < 0) {
            return bytes;
        }
        var swapped = new Swapped(bytes, 0, bytes.length, first);
        swapped.take(bytes.length);
        return Arrays.copyOf(swapped.target, swapped.size);
    }

    /** Writes as much of the next piece as can be told. The piece itself stays as it is. */
    void write(byte[] bytes, int offset, int length, OutputStream out) throws IOException {
        if (kept == 0) {
            writeJoined(bytes, offset, offset + length, out);
        } else {
            var joined = finder.beginning(kept, length);
            System.arraycopy(bytes, offset, joined, kept, length);
            writeJoined(joined, 0, joined.length, out);
        }
    }

    /** Writes what begins with what was kept back. */
    private void writeJoined(byte[] bytes, int from, int end, OutputStream out) throws IOException {
        int first = finder.first(bytes, from, end);
        if (first < 0) {
            kept = finder.begun(bytes, from, end);
            pass(bytes, from, end - kept, out);
            return;
        }
        var swapped = new Swapped(bytes, from, end, first);
        kept = finder.begun(bytes, swapped.read, end);
        swapped.take(end - kept);
        pass(swapped.target, 0, swapped.size, out);
    }

    /** Writes what was kept back: nothing more comes. */
    void finish(OutputStream out) throws IOException {
        int left = kept;
        kept = 0;
        pass(finder.beginning(left, 0), 0, left, out);
    }

    /** Forgets what was kept back: the body begins anew, or does not count. */
    void reset() {
        kept = 0;
    }

    private static void pass(byte[] bytes, int from, int end, OutputStream out) throws IOException {
        if (end > from) {
            out.write(bytes, from, end - from);
        }
    }

    /** A copy of bytes in which the pattern stands; each of them is looked at once. */
    private final class Swapped {

        private final byte[] bytes;
        private final int from;

        /** It is full of what comes in any case, so that only what differs is written. */
        private final byte[] target;

        /** How much of the target holds. */
        private int size;

        /** How far the bytes have been taken over: up to behind the last pattern. */
        private int read;

        Swapped(byte[] bytes, int from, int end, int first) {
            this.bytes = bytes;
            this.from = from;
            this.target = Arrays.copyOfRange(bytes, from, end);
            this.read = from;
            for (int at = first; at >= 0; at = finder.first(bytes, read, end)) {
                take(at);
                System.arraycopy(replacement, 0, target, size, replacement.length);
                size += replacement.length;
                read = at + finder.length();
            }
        }

        /** Takes the bytes before {@code end} as they are. */
        void take(int end) {
            if (read - from != size) {
                System.arraycopy(bytes, read, target, size, end - read);
            }
            size += end - read;
            read = end;
        }
    }
}
