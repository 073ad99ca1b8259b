package dev.quire.core.parse;

/** The part of the document that is still in memory. */
interface Document {

    /**
     * Returns a copy of the bytes between two offsets, one char for each byte.
     *
     * @throws IllegalStateException if they are no longer in memory
     */
    String text(int start, int end);
}
