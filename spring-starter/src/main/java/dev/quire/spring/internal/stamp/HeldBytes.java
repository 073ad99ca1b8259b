package dev.quire.spring.internal.stamp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Buffered bytes that are inspected without a copy. */
public final class HeldBytes extends ByteArrayOutputStream {

    /** Whether they contain a tag of this application. */
    public boolean hold(Placeholder placeholder) {
        return placeholder.isIn(buf, count);
    }

    /**
     * Whether they contain a tag that no swap finds, because of {@code charset} or its encoding.
     */
    public boolean hide(Placeholder placeholder, @Nullable Charset charset) {
        return placeholder.isHidden(buf, count, charset);
    }

    /** Returns the index of {@code text} from {@code from}; negative if absent. */
    int indexOf(byte[] text, int from) {
        for (int at = from; at <= count - text.length; at++) {
            if (buf[at] == text[0] && has(text, at)) {
                return at;
            }
        }
        return -1;
    }

    boolean has(byte[] text, int at) {
        return at + text.length <= count
                && Arrays.equals(buf, at, at + text.length, text, 0, text.length);
    }

    /** Returns the line number of {@code offset}, from 1. */
    int lineAt(int offset) {
        int line = 1;
        for (int at = 0; at < offset; at++) {
            if (buf[at] == '\n') {
                line++;
            }
        }
        return line;
    }

    /** Writes them through {@code swap}; more may follow. */
    public void writeTo(StampSwap swap, OutputStream out) throws IOException {
        swap.write(buf, 0, count, out);
    }
}
