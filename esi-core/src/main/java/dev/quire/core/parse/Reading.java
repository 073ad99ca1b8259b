package dev.quire.core.parse;

import dev.quire.core.expression.Dialect;
import dev.quire.core.expression.Escape;
import dev.quire.core.http.Stamp;

/**
 * How documents are read.
 *
 * @param notation of the document's media type
 * @param opensHtmlComments whether ESI inside HTML comments is processed
 * @param escape of references that ask for none; of JSON the notation decides
 * @param tags which of them are any
 */
public record Reading(
        Notation notation, Dialect dialect, boolean opensHtmlComments, Escape escape, Tags tags) {

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

    /** Which tags and references of a document are markup; all others are text. */
    public sealed interface Tags {

        /** No matter who wrote them. */
        enum Unstamped implements Tags {
            ALL,
            NONE
        }

        /**
         * Those with {@code stamp} and a colon behind {@code <esi:}, {@code </esi:} or, in text
         * with references, {@code $}. Nothing else opens, closes or hides anything: HTML comments,
         * CDATA sections and backslashes are text. The stamp itself vanishes, wherever it stands.
         */
        record Stamped(Stamp stamp) implements Tags {}
    }

    /** All tags are markup. */
    public Reading(Notation notation, Dialect dialect, boolean opensHtmlComments, Escape escape) {
        this(notation, dialect, opensHtmlComments, escape, Tags.Unstamped.ALL);
    }

    /** The same of a document in {@code notation}. */
    public Reading in(Notation notation) {
        return notation == this.notation
                ? this
                : new Reading(notation, dialect, opensHtmlComments, escape, tags);
    }

    /** The same of a document whose {@code tags} are markup. */
    public Reading of(Tags tags) {
        return tags.equals(this.tags)
                ? this
                : new Reading(notation, dialect, opensHtmlComments, escape, tags);
    }

    /** The same of a document in which only what bears {@code stamp} is markup. */
    public Reading stamped(Stamp stamp) {
        return of(new Tags.Stamped(stamp));
    }

    /**
     * How what has come of a document is read once more: of a stamped one everything that was
     * markup has vanished, so the rest is text.
     */
    public Reading again() {
        return switch (tags) {
            case Tags.Unstamped ignored -> this;
            case Tags.Stamped ignored -> of(Tags.Unstamped.NONE);
        };
    }
}
