package dev.quire.core.parse;

/**
 * Where a tag begins.
 *
 * @param line counted from 1 by line feeds
 * @param column in bytes, counted from 1
 * @param offset in bytes, counted from 0
 */
public record Position(int line, int column, int offset) {
    @Override
    public String toString() {
        return line + ":" + column;
    }
}
