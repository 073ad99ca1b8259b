package dev.quire.test;

import java.io.IOException;

/** Bytes that are no HTTP/1.1 message; the text says what was expected and what was found. */
final class WireFault extends IOException {
    private static final long serialVersionUID = 1;

    WireFault(String expected, String found) {
        super("expected " + expected + ", found " + Excerpt.of(found));
    }
}
