package dev.quire.core.assemble;

import dev.quire.core.policy.CacheKey;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where fragments come from. All calls are made on the assembler's thread, and answers are given
 * there.
 */
public interface FragmentSource<B extends PartBody> {

    /**
     * The fragment if it is at hand and may be used as it is; never starts or waits for anything.
     * The caller owns one reference of the body.
     */
    @Nullable B stored(CacheKey key);

    /**
     * Asks for a fragment and answers exactly once, possibly before returning. A cancelled request
     * need not answer.
     */
    Fetching fetch(FragmentRequest request, Consumer<FragmentAnswer<B>> answer);

    /** A fetch under way. */
    interface Fetching {
        /** Everything in front of this fragment has been delivered. */
        default void turn() {}

        /** Nobody needs the answer any more. */
        default void cancel() {}
    }
}
