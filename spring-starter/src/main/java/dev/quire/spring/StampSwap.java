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
        var copy = bytes.clone();
        return Arrays.copyOf(copy, swapped(copy, first, copy.length));
    }

    /** Writes as much of the next piece as can be told. The piece itself stays as it is. */
    void write(byte[] bytes, int offset, int length, OutputStream out) throws IOException {
        int end = offset + length;
        if (kept == 0 && finder.first(bytes, offset, end) < 0) {
            kept = finder.begun(bytes, offset, end);
            pass(bytes, offset, end - kept, out);
            return;
        }
        var joined = finder.beginning(kept, length);
        System.arraycopy(bytes, offset, joined, kept, length);
        int first = finder.first(joined, 0, joined.length);
        int rest = first < 0 ? 0 : behindLast(joined, first);
        kept = finder.begun(joined, rest, joined.length);
        int whole = joined.length - kept;
        pass(joined, 0, first < 0 ? whole : swapped(joined, first, whole), out);
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

    private int behindLast(byte[] bytes, int first) {
        int behind = first;
        for (int at = first; at >= 0; at = finder.first(bytes, behind, bytes.length)) {
            behind = at + finder.length();
        }
        return behind;
    }

    /**
     * Swaps in place, from the pattern at {@code first} on.
     *
     * @return where the bytes end now
     */
    private int swapped(byte[] bytes, int first, int end) {
        int written = first;
        int read = first;
        int at = first;
        while (at >= 0) {
            System.arraycopy(bytes, read, bytes, written, at - read);
            written += at - read;
            System.arraycopy(replacement, 0, bytes, written, replacement.length);
            written += replacement.length;
            read = at + finder.length();
            at = finder.first(bytes, read, end);
        }
        System.arraycopy(bytes, read, bytes, written, end - read);
        return written + end - read;
    }
}
