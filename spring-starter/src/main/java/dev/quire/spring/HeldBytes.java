package dev.quire.spring;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
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

    /** One char for each byte. */
    String text() {
        return new String(buf, 0, count, StandardCharsets.ISO_8859_1);
    }

    /** Passes them through {@code swap}; more may follow. */
    void writeTo(StampSwap swap, OutputStream out) throws IOException {
        swap.write(buf, 0, count, out);
    }
}
