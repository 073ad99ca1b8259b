package dev.quire.proxy.lint;

import dev.quire.core.parse.Diagnostic;
import dev.quire.core.parse.Position;

/**
 * A finding in a page.
 *
 * @param line counted from 1
 * @param column in bytes, counted from 1
 * @param what the problem, without the page's own text
 * @param consequence the parser's recovery, or the recommended fix
 */
public record Finding(int line, int column, String what, String consequence) {

    static Finding of(Diagnostic diagnostic) {
        return at(diagnostic.at(), diagnostic.what(), diagnostic.instead());
    }

    static Finding at(Position place, String what, String consequence) {
        return new Finding(place.line(), place.column(), what, consequence);
    }

    static Finding ofPage(String what, String consequence) {
        return new Finding(1, 1, what, consequence);
    }

    /** Formats as {@code line:column: what (consequence)}. */
    @Override
    public String toString() {
        return line + ":" + column + ": " + what + " (" + consequence + ")";
    }
}
