package dev.quire.proxy.store;

import java.time.Duration;

/**
 * The limits of calls, and of the connections that they use.
 *
 * @param timeout how long one waits for its answer
 * @param queue how many wait, over all loops
 * @param writingBytes of the records that are being written
 * @param connections to the server at most; 0 for one of each loop
 */
public record CallLimits(Duration timeout, int queue, long writingBytes, int connections) {

    /**
     * Returns the limits for one of several servers. If it hangs, the others have theirs.
     *
     * @param recordBytes of the longest record, which each server may be sent
     */
    public CallLimits share(int servers, int recordBytes) {
        return new CallLimits(
                timeout,
                Math.ceilDiv(queue, servers),
                Math.max(recordBytes, writingBytes / servers),
                connections);
    }
}
