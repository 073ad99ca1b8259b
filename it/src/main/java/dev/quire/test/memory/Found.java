package dev.quire.test.memory;

import dev.quire.core.assemble.Failure;
import org.jspecify.annotations.Nullable;

/** What came of asking for one resource. */
sealed interface Found {

    /**
     * A response.
     *
     * @param isFirstHand whether it is passed on as it came, not taken from the store
     */
    record Response(Kept kept, Asked.Way way, boolean isFirstHand) implements Found {}

    /**
     * None.
     *
     * @param status the application's; 0 if it gave none
     * @param cut what came of a response that broke off; null if that is nothing
     */
    record None(Failure failure, int status, @Nullable Kept cut) implements Found {}
}
