package dev.quire.proxy.store;

import java.time.Duration;

/**
 * The limits of calls.
 *
 * @param timeout how long one waits for its answer
 * @param queue how many wait, over all loops
 * @param writingBytes of the records that are being written
 */
public record CallLimits(Duration timeout, int queue, long writingBytes) {

    /**
     * Returns the limits for one of several servers. If it hangs, the others have theirs.
     *
     * @param recordBytes of the longest record, which each server may be sent
     */
    public CallLimits share(int servers, int recordBytes) {
        return new CallLimits(
                timeout,
                Math.ceilDiv(queue, servers),
                Math.max(recordBytes, writingBytes / servers));
    }
}
