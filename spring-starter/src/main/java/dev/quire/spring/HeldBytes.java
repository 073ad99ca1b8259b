package dev.quire.spring;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Bytes held back, to be looked at without a copy of them. */
final class HeldBytes extends ByteArrayOutputStream {

    /** Whether a tag of ours is among them. */
    boolean hold(Placeholder placeholder) {
        return placeholder.isIn(buf, count);
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
