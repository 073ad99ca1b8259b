package dev.quire.core.assemble;

import dev.quire.core.expression.ResponseEdits;
import dev.quire.core.parse.Position;
import dev.quire.core.policy.CacheKey;

/** Takes an assembled page, piece by piece, in document order, on the assembler's thread. */
public interface PageConsumer<B extends PartBody> {

    /** Whether it takes more now; the owner calls {@link Assembler#drain} again when it does. */
    boolean isWritable();

    /**
     * Takes the bytes from {@code start} to {@code end} of {@code body}, keeping a reference of its
     * own for as long as it needs them.
     */
    void write(B body, int start, int end);

    /** Takes text that was evaluated for this request; the array becomes the consumer's. */
    void write(byte[] text);

    /** Takes a flowing fragment, and then calls {@link Assembler#streamed}. */
    void write(FragmentStream stream);

    /** A fragment has become part of the page: its lifetime now counts. Not yet written. */
    void joined(B fragment);

    /** A fragment too large to be held has become part of the page. Not yet written. */
    void joined(FragmentStream fragment);

    /**
     * What has been evaluated depends on more of the request than its address: the page is for this
     * client alone. Once.
     */
    void isPersonal();

    /** A fragment is left out, though its author did not say that this is no error. */
    void omitted(Position include, Failure failure);

    /** Something could not be evaluated as written; it was taken for nothing. */
    void problem(CacheKey document, String what);

    /**
     * The page, which was held until now, answers like this. Before its first piece is written; not
     * called for a page that is not held.
     *
     * @param status of its primary fragment, or 0
     */
    void amended(ResponseEdits edits, int status);

    /**
     * The page, which was held until now, cannot be answered. Nothing has been written, and nothing
     * follows.
     */
    void failed(Failure failure);

    /** Something arrived after {@link Assembler#start} returned; draining may get further. */
    void progressed();

    /** Every byte has been handed over. */
    void finished();
}
