package dev.quire.spring;

import org.jspecify.annotations.Nullable;

/** Cuts one element out of a whole document: {@code select} of an include. */
interface Selection {

    /** For applications without jsoup. */
    Selection NONE =
            new Selection() {

                private final SaidOnce warnings = SaidOnce.of(Selection.class);

                @Override
                public byte @Nullable [] first(byte[] document, String selector) {
                    warnings.warn(
                            "select=\"" + selector + "\"",
                            "selects nothing: jsoup is not on the class path (expected org.jsoup:jsoup)");
                    return null;
                }
            };

    /**
     * The bytes of the first element of {@code document} that {@code selector} selects, tags
     * included, exactly as they stand there; null if there is none, or if the selector cannot be
     * read.
     *
     * @param selector a CSS selector, one char for each byte
     */
    byte @Nullable [] first(byte[] document, String selector);
}
