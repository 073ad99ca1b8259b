package dev.quire.core.parse;

/** The part of the document that is still at hand. */
interface Document {

    /**
     * A copy of what stands between two offsets, one char for each byte.
     *
     * @throws IllegalStateException if that is no longer at hand
     */
    String text(int start, int end);
}
