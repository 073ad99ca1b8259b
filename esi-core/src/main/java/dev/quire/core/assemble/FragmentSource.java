package dev.quire.core.assemble;

import dev.quire.core.expression.Escape;
import dev.quire.core.policy.CacheKey;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The source of fragments. All calls and answers are made on the assembler's thread. */
public interface FragmentSource<B extends PartBody> {

    /** The maximum length of a selector, in characters; a longer one selects nothing. */
    int MAX_SELECTOR = 1_000;

    /**
     * Returns the bytes of a selected element. An implied end is used as its end.
     *
     * @param start of its opening tag
     * @param openingEnd the end of its opening tag
     * @param closingEnd the end of its closing tag, if it has one
     * @return null if the element is empty
     */
    static byte @Nullable [] element(byte[] document, int start, int openingEnd, int closingEnd) {
        int end = Math.max(openingEnd, closingEnd);
        return start < end ? Arrays.copyOfRange(document, start, end) : null;
    }

    /**
     * Returns the fragment if it is available and usable as it is; never starts or waits for
     * anything. The caller owns one reference of the body.
     */
    @Nullable B stored(FragmentRequest request);

    /**
     * Requests a fragment and answers exactly once, possibly before returning. A cancelled request
     * need not answer.
     */
    Fetching fetch(FragmentRequest request, Consumer<FragmentAnswer<B>> answer);

    /**
     * Returns a body for bytes that the assembler has made. The caller owns its reference.
     *
     * @param key of the document it was made for
     * @param compiled null if it is not an ESI document
     */
    B made(CacheKey key, byte[] bytes, @Nullable CompiledPage compiled);

    /**
     * Returns {@code body}, which is not an ESI document, escaped; the result may be cached with
     * it. Takes over the caller's reference of {@code body}; the caller owns one of the result.
     */
    B escaped(B body, Escape escape);

    /**
     * Finds the first part of {@code body}, which is not an ESI document, that {@code selector}
     * selects. Answers exactly once, possibly before returning, with null if nothing is selected or
     * the selector is invalid or too long. Takes over the caller's reference; the receiver of the
     * answer owns one of the part, which may be cached with the body.
     */
    void select(B body, String selector, Consumer<@Nullable B> answer);

    /**
     * Called when the assembler has refused an include.
     *
     * @param key null if its reference must not be followed
     * @param parent the document that includes it
     * @param depth levels below the page
     */
    default void refused(@Nullable CacheKey key, CacheKey parent, int depth, Failure failure) {}

    /** A fetch in progress. */
    interface Fetching {
        /** Called when everything before this fragment has been delivered. */
        default void onTurn() {}

        /** Called when the answer is no longer needed. */
        default void cancel() {}
    }
}
