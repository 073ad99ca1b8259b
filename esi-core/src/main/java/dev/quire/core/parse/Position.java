package dev.quire.core.parse;

/**
 * The position of a tag.
 *
 * @param line from 1, counted by line feeds
 * @param column in bytes, from 1
 * @param offset in bytes, from 0
 */
public record Position(int line, int column, int offset) {
    @Override
    public String toString() {
        return line + ":" + column;
    }
}
