package dev.quire.spring;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Bytes held back, to be looked at without a copy of them. */
final class HeldBytes extends ByteArrayOutputStream {

    /** Whether a tag of ours is among them. */
    boolean hold(Placeholder placeholder) {
        return placeholder.isIn(buf, count);
    }

    /** Whether one is among them that no swap finds, because of {@code charset} or by itself. */
    boolean hide(Placeholder placeholder, @Nullable Charset charset) {
        return placeholder.isHidden(buf, count, charset);
    }

    /** Where {@code text} stands, not before {@code from}; negative if nowhere. */
    int indexOf(byte[] text, int from) {
        for (int at = from; at <= count - text.length; at++) {
            if (buf[at] == text[0] && has(text, at)) {
                return at;
            }
        }
        return -1;
    }

    /** Whether {@code text} stands at {@code at}. */
    boolean has(byte[] text, int at) {
        return at + text.length <= count
                && Arrays.equals(buf, at, at + text.length, text, 0, text.length);
    }

    /** The number of the line that {@code offset} is in, from 1. */
    int lineAt(int offset) {
        int line = 1;
        for (int at = 0; at < offset; at++) {
            if (buf[at] == '\n') {
                line++;
            }
        }
        return line;
    }

    /** Passes them through {@code swap}; more may follow. */
    void writeTo(StampSwap swap, OutputStream out) throws IOException {
        swap.write(buf, 0, count, out);
    }
}
