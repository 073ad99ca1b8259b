package dev.quire.core.parse;

import dev.quire.core.expression.Dialect;

/**
 * How documents are read.
 *
 * @param notation of the document's media type
 * @param opensHtmlComments whether ESI inside HTML comments is processed
 */
public record Reading(Notation notation, Dialect dialect, boolean opensHtmlComments) {

    /** Markup, standard backslashes, comments opaque. */
    public static final Reading STANDARD = new Reading(Notation.MARKUP, Dialect.STANDARD, false);

    /** Of a document. */
    public enum Notation {
        /** Tags stand as they are. */
        MARKUP,
        /** Tags may stand inside JSON strings, with JSON's escapes. */
        JSON
    }
}
