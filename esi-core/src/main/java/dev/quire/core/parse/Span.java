package dev.quire.core.parse;

/**
 * A range of the document's bytes. Text is never copied; slices are taken from the document.
 *
 * @param start offset of the first byte
 * @param end offset after the last byte
 */
public record Span(int start, int end) {
    public Span {
        if (start < 0 || end < start) {
            throw new IllegalArgumentException("invalid span: " + start + " to " + end);
        }
    }

    /** Returns the number of bytes. */
    public int length() {
        return end - start;
    }
}
