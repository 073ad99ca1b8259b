package dev.quire.proxy.lint;

import dev.quire.core.parse.Diagnostic;
import dev.quire.core.parse.Position;

/**
 * Something a page's author will want to know.
 *
 * @param line counted from 1
 * @param column in bytes, counted from 1
 * @param what is wrong, without the page's own text
 * @param consequence what was done instead, or what to do
 */
public record Finding(int line, int column, String what, String consequence) {

    /** One of the parser. */
    static Finding of(Diagnostic diagnostic) {
        return at(diagnostic.at(), diagnostic.what(), diagnostic.instead());
    }

    /** One of a place in the page. */
    static Finding at(Position place, String what, String consequence) {
        return new Finding(place.line(), place.column(), what, consequence);
    }

    /** One of the page as a whole. */
    static Finding ofPage(String what, String consequence) {
        return new Finding(1, 1, what, consequence);
    }

    /** {@code line:column: what (consequence)}. */
    @Override
    public String toString() {
        return line + ":" + column + ": " + what + " (" + consequence + ")";
    }
}
