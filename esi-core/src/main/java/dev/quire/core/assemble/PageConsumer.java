package dev.quire.core.assemble;

import dev.quire.core.expression.ResponseEdits;
import dev.quire.core.parse.Position;
import dev.quire.core.policy.CacheKey;

/** Receives an assembled page, piece by piece, in document order, on the assembler's thread. */
public interface PageConsumer<B extends PartBody> {

    /** Whether it accepts more now; the owner calls {@link Assembler#drain} when that changes. */
    boolean isWritable();

    /**
     * Writes the bytes from {@code start} to {@code end} of {@code body}; takes its own reference
     * for as long as it needs them.
     */
    void write(B body, int start, int end);

    /** Writes text evaluated for this request; the consumer owns the array. */
    void write(byte[] text);

    /** Writes a flowing fragment, and then calls {@link Assembler#streamed}. */
    void write(FragmentStream stream);

    /** Called when a fragment becomes part of the page, with its lifetime, before it is written. */
    void joined(B fragment);

    /**
     * Called when a fragment too large to be buffered becomes part of the page, before it is
     * written.
     */
    void joined(FragmentStream fragment);

    /**
     * Called once if evaluation depends on more of the request than its address: the page is for
     * this client only.
     */
    void isPersonal();

    /** Called for a fragment that is omitted without {@code onerror="continue"}. */
    void omitted(Position include, Failure failure);

    /** Called if something could not be evaluated; it counts as empty. */
    void problem(CacheKey document, String what);

    /**
     * Called for a buffered page before its first piece is written, with its changes to the
     * response.
     *
     * @param status of its primary fragment, or 0
     */
    void amended(ResponseEdits edits, int status);

    /** Called if a buffered page fails. Nothing has been written, and nothing follows. */
    void failed(Failure failure);

    /**
     * Called if something arrived after {@link Assembler#start} returned; draining may get further.
     */
    void progressed();

    /**
     * Called when the page has taken a turn of its thread and has not come to its end. Runs {@code
     * rest} later on the same thread, after other work that is ready, even if the page has ended by
     * then; or returns false, and the page continues at once.
     */
    default boolean later(Runnable rest) {
        return false;
    }

    /** Called after the last byte. */
    void finished();
}
