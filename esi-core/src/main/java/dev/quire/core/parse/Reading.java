package dev.quire.core.parse;

import dev.quire.core.expression.Dialect;
import dev.quire.core.expression.Escape;

/**
 * How documents are read.
 *
 * @param notation of the document's media type
 * @param opensHtmlComments whether ESI inside HTML comments is processed
 * @param escape of references that ask for none; of JSON the notation decides
 */
public record Reading(
        Notation notation, Dialect dialect, boolean opensHtmlComments, Escape escape) {

    /** Markup, standard backslashes, comments opaque, angle brackets escaped. */
    public static final Reading STANDARD =
            new Reading(Notation.MARKUP, Dialect.STANDARD, false, Escape.MARKUP);

    /** Of a document. */
    public enum Notation {
        /** Tags stand as they are. */
        MARKUP,
        /** Tags may stand inside JSON strings, with JSON's escapes. */
        JSON
    }
}
