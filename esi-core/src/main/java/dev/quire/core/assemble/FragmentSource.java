package dev.quire.core.assemble;

import dev.quire.core.expression.Escape;
import dev.quire.core.policy.CacheKey;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where fragments come from. All calls are made on the assembler's thread, and answers are given
 * there.
 */
public interface FragmentSource<B extends PartBody> {

    /** The longest selector that selects anything, in characters. */
    int MAX_SELECTOR = 1_000;

    /**
     * The fragment if it is at hand and may be used as it is; never starts or waits for anything.
     * The caller owns one reference of the body.
     */
    @Nullable B stored(FragmentRequest request);

    /**
     * Asks for a fragment and answers exactly once, possibly before returning. A cancelled request
     * need not answer.
     */
    Fetching fetch(FragmentRequest request, Consumer<FragmentAnswer<B>> answer);

    /**
     * A body the assembler has made itself. The caller owns its reference.
     *
     * @param key of the document it was made for
     * @param compiled null if it is no ESI document
     */
    B made(CacheKey key, byte[] bytes, @Nullable CompiledPage compiled);

    /**
     * {@code body}, which is no ESI document, in another form, which may be kept with it for the
     * next time. Takes over the caller's reference of {@code body}, who owns one of the result.
     */
    B escaped(B body, Escape escape);

    /**
     * Looks in {@code body}, which is no ESI document, for the first part that {@code selector}
     * selects, and answers exactly once, possibly before returning: with null if nothing is
     * selected, or the selector cannot be read or is too long. Takes over the caller's reference;
     * whoever is answered owns one of the part, which may be kept with the body for the next time.
     */
    void select(B body, String selector, Consumer<@Nullable B> answer);

    /**
     * An include is not asked for: the assembler has refused it.
     *
     * @param key null where its reference is none that may be followed
     * @param parent of the document that includes it
     * @param depth levels below the page
     */
    default void refused(@Nullable CacheKey key, CacheKey parent, int depth, Failure failure) {}

    /** A fetch under way. */
    interface Fetching {
        /** Everything in front of this fragment has been delivered. */
        default void turn() {}

        /** Nobody needs the answer any more. */
        default void cancel() {}
    }
}
