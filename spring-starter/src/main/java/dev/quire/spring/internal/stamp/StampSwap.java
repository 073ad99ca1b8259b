package dev.quire.spring.internal.stamp;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * Replaces a pattern in streamed bytes. It holds back at most the start of a pattern, so that every
 * piece causes at most one write.
 */
public final class StampSwap {

    private final Placeholder.Finder finder;
    private final byte[] replacement;

    /** Length of the pattern's start that the last piece ended with; the only held state. */
    private int kept;

    /**
     * Creates a swap for one body.
     *
     * @param replacement not longer than the pattern
     */
    public StampSwap(Placeholder.Finder finder, byte[] replacement) {
        this.finder = finder;
        this.replacement = replacement;
    }

    /** Whether bytes are held back. */
    public boolean isKeeping() {
        return kept > 0;
    }

    /**
     * Returns the complete body {@code bytes} with replacements; the same array if nothing changes.
     */
    public byte[] all(byte[] bytes) {
        int first = finder.first(bytes, 0, bytes.length);
        if (first < 0) {
            return bytes;
        }
        var swapped = new Swapped(bytes, 0, bytes.length, first);
        swapped.take(bytes.length);
        return Arrays.copyOf(swapped.target, swapped.size);
    }

    /** Writes the next piece as far as it is decided. The piece itself is not modified. */
    public void write(byte[] bytes, int offset, int length, OutputStream out) throws IOException {
        if (kept == 0) {
            writeJoined(bytes, offset, offset + length, out);
        } else {
            var joined = finder.beginning(kept, length);
            System.arraycopy(bytes, offset, joined, kept, length);
            writeJoined(joined, 0, joined.length, out);
        }
    }

    /** Writes bytes that start with the held ones. */
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

    /** Writes the held bytes at the end of the body. */
    public void finish(OutputStream out) throws IOException {
        int left = kept;
        kept = 0;
        pass(finder.beginning(left, 0), 0, left, out);
    }

    /** Discards the held bytes: the body restarts or is dropped. */
    public void reset() {
        kept = 0;
    }

    private static void pass(byte[] bytes, int from, int end, OutputStream out) throws IOException {
        if (end > from) {
            out.write(bytes, from, end - from);
        }
    }

    /** A copy of bytes with replacements; each byte is examined once. */
    private final class Swapped {

        private final byte[] bytes;
        private final int from;

        /** Initially a copy of the input, so that only differing parts are written. */
        private final byte[] target;

        /** The length of the valid part of the target. */
        private int size;

        /** The end of the input copied so far: after the last pattern. */
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

        /** Copies the bytes before {@code end} unchanged. */
        void take(int end) {
            if (read - from != size) {
                System.arraycopy(bytes, read, target, size, end - read);
            }
            size += end - read;
            read = end;
        }
    }
}
