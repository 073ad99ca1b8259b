package dev.quire.test;

import java.io.IOException;

/** A malformed HTTP/1.1 message; the text has the expected and the actual bytes. */
final class WireFault extends IOException {
    private static final long serialVersionUID = 1;

    WireFault(String expected, String found) {
        super("expected " + expected + ", found " + Excerpt.of(found));
    }
}
