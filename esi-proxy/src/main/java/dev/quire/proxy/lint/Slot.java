package dev.quire.proxy.lint;

import dev.quire.core.parse.Position;

/**
 * A place of a page where something will stand that the page does not contain.
 *
 * @param offset in the text that stays of the page
 * @param isEscaped whether its author has said how it is to be written, or has written a function
 *     whose result is harmless anywhere
 */
record Slot(Kind kind, boolean isEscaped, Position at, int offset) {

    /** What will stand there. */
    enum Kind {
        INCLUDE("esi:include"),
        EVAL("esi:eval"),
        REFERENCE("a reference");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** The kind as messages call it. */
        @Override
        public String toString() {
            return text;
        }
    }

    /** Whether it brings a document and not a value. */
    boolean isFragment() {
        return kind != Kind.REFERENCE;
    }
}
