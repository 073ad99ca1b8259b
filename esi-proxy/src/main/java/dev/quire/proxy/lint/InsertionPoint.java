package dev.quire.proxy.lint;

import dev.quire.core.parse.Position;

/**
 * A place in a page where a fragment or value will be inserted.
 *
 * @param offset in the text of {@link Remains}
 * @param isEscaped whether the author has specified the escaping, or used a function whose result
 *     is safe anywhere
 */
record InsertionPoint(Kind kind, boolean isEscaped, Position at, int offset) {

    /** The kind of content inserted. */
    enum Kind {
        INCLUDE("esi:include"),
        EVAL("esi:eval"),
        REFERENCE("a reference");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** The name of the kind in messages. */
        @Override
        public String toString() {
            return text;
        }
    }

    /** Whether it is a fragment, not a value. */
    boolean isFragment() {
        return kind != Kind.REFERENCE;
    }
}
