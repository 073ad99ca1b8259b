package dev.quire.core.parse;

import java.nio.ByteBuffer;

/** Reads an ESI document in pieces of any size. */
public final class EsiParser {

    /** Consumes all of {@code chunk}; a tag may be cut anywhere between two calls. */
    public void feed(ByteBuffer chunk) {
        throw new UnsupportedOperationException();
    }

    /** The document, once its last byte has been fed. */
    public ParsedPage finish() {
        throw new UnsupportedOperationException();
    }
}
