package dev.quire.core.assemble;

/** Takes an assembled page, piece by piece, in document order, on the assembler's thread. */
public interface PageConsumer<B extends PartBody> {

    /** Whether it takes more now; the owner calls {@link Assembler#drain} again when it does. */
    boolean isWritable();

    /**
     * Takes the bytes from {@code start} to {@code end} of {@code body}, keeping a reference of its
     * own for as long as it needs them.
     */
    void write(B body, int start, int end);

    /** Takes a flowing fragment, and then calls {@link Assembler#streamed}. */
    void write(FragmentStream stream);

    /** A fragment has become part of the page: its lifetime now counts. Not yet written. */
    void joined(B fragment);

    /** A fragment too large to be held has become part of the page. Not yet written. */
    void joined(FragmentStream fragment);

    /** A fragment is left out, though its author did not say that this is no error. */
    void omitted(Plan.Part.Fragment fragment, Failure failure);

    /** Something arrived after {@link Assembler#start} returned; draining may get further. */
    void progressed();

    /** Every byte has been handed over. */
    void finished();
}
