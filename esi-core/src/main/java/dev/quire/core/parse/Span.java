package dev.quire.core.parse;

/**
 * A run of the document's bytes. Text is named by its place, never copied: who holds the document
 * takes its slices from there.
 *
 * @param start offset of the first byte
 * @param end offset behind the last byte
 */
public record Span(int start, int end) {
    public Span {
        if (start < 0 || end < start) {
            throw new IllegalArgumentException("invalid span: " + start + " to " + end);
        }
    }

    /** The number of bytes. */
    public int length() {
        return end - start;
    }
}
