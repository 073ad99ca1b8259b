package dev.quire.bench.simulation;

import dev.quire.proxy.cache.RecordPosition;
import org.jspecify.annotations.Nullable;

/**
 * A stored response.
 *
 * @param version of the object at the origin
 * @param begun when its fetch began
 * @param fetched when it arrived
 * @param testedUpTo the newest invalidation of the node that has it against which it was tested
 */
record Copy(int version, long begun, long fetched, long testedUpTo) {

    /**
     * A copy in the shared store.
     *
     * @param position in the log; null without a log
     */
    record Shared(Copy copy, @Nullable RecordPosition position) {}
}
