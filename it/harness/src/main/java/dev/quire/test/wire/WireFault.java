package dev.quire.test.wire;

import dev.quire.test.wire.internal.Excerpt;
import java.io.IOException;

/** A malformed HTTP/1.1 message; the text has the expected and the actual bytes. */
final class WireFault extends IOException {
    private static final long serialVersionUID = 1;

    WireFault(String expected, String found) {
        super("expected " + expected + ", found " + Excerpt.of(found));
    }
}
