package dev.quire.core.parse;

import dev.quire.core.expression.Dialect;
import dev.quire.core.expression.Escape;
import dev.quire.core.http.Stamp;

/**
 * The settings for parsing a document.
 *
 * @param notation of the document's media type
 * @param opensHtmlComments whether ESI inside HTML comments is processed
 * @param escape of references without an {@code escape} attribute; ignored for JSON
 * @param tags which tags are markup
 */
public record ParseOptions(
        SourceFormat notation,
        Dialect dialect,
        boolean opensHtmlComments,
        Escape escape,
        Tags tags) {

    /** Markup, standard backslashes, comments opaque, angle brackets escaped. */
    public static final ParseOptions STANDARD =
            new ParseOptions(SourceFormat.MARKUP, Dialect.STANDARD, false, Escape.MARKUP);

    /** The notation of a document. */
    public enum SourceFormat {
        /** Tags are written plainly. */
        MARKUP,
        /** Tags may be written inside JSON strings, with JSON escapes. */
        JSON
    }

    /** Which tags and references of a document are markup; all others are text. */
    public sealed interface Tags {

        /** All or none. */
        enum Unstamped implements Tags {
            ALL,
            NONE
        }

        /**
         * Those with {@code stamp} and a colon after {@code <esi:}, {@code </esi:} or, in text with
         * references, {@code $}. Nothing else has an effect: HTML comments, CDATA sections and
         * backslashes are text. The stamp itself is removed everywhere.
         */
        record Stamped(Stamp stamp) implements Tags {}
    }

    /** Creates settings in which all tags are markup. */
    public ParseOptions(
            SourceFormat notation, Dialect dialect, boolean opensHtmlComments, Escape escape) {
        this(notation, dialect, opensHtmlComments, escape, Tags.Unstamped.ALL);
    }

    /** Returns the same settings for a document in {@code notation}. */
    public ParseOptions in(SourceFormat notation) {
        return notation == this.notation
                ? this
                : new ParseOptions(notation, dialect, opensHtmlComments, escape, tags);
    }

    /** Returns the same settings with other {@code tags}. */
    public ParseOptions of(Tags tags) {
        return tags.equals(this.tags)
                ? this
                : new ParseOptions(notation, dialect, opensHtmlComments, escape, tags);
    }

    /** Returns the same settings, with only tags and references with {@code stamp} as markup. */
    public ParseOptions stamped(Stamp stamp) {
        return of(new Tags.Stamped(stamp));
    }

    /**
     * Returns the settings for parsing an assembled document again: a stamped one has no markup
     * left, so all of it is text.
     */
    public ParseOptions forAssembled() {
        return switch (tags) {
            case Tags.Unstamped ignored -> this;
            case Tags.Stamped ignored -> of(Tags.Unstamped.NONE);
        };
    }
}
