package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheKey;

/**
 * Decides whether a full store keeps a response: the larger it is, the more often its key must have
 * been requested. Thread-safe.
 */
final class SizeGate {

    /** From this share of its limit on, the store is full. */
    private static final double FULL = 0.95;

    /** How many requests are required of an entry of mean weight. */
    private static final int MEAN_REQUESTS = 2;

    /** How many requests are enough for any weight; below the highest estimate. */
    private static final int MAX_REQUESTS = 12;

    /** The share of the store's memory that the counts take. */
    private static final int SKETCH_PART = 256;

    private final FrequencySketch requests;
    private final long memoryBytes;
    private final long maxBytes;

    /**
     * @param memoryBytes the memory of the store, of which the gate takes a part
     */
    SizeGate(long memoryBytes) {
        this.requests = new FrequencySketch(memoryBytes / SKETCH_PART);
        this.memoryBytes = memoryBytes;
        this.maxBytes = memoryBytes - requests.bytes();
    }

    /** Whether it was created for a store of {@code memoryBytes}. */
    boolean isFor(long memoryBytes) {
        return this.memoryBytes == memoryBytes;
    }

    /** Returns the memory that is left for responses. */
    long maxBytes() {
        return maxBytes;
    }

    /** Counts a request for {@code key}. */
    void requested(CacheKey key) {
        requests.add(key.hashCode());
    }

    /**
     * Whether an entry of {@code key} may be stored.
     *
     * @param entryBytes the weight of the whole entry
     * @param storedBytes the weight of all entries
     * @param entries their number
     */
    boolean admits(CacheKey key, long entryBytes, long storedBytes, long entries) {
        if (storedBytes < FULL * maxBytes) {
            return true;
        }
        double meanBytes = (double) storedBytes / Math.max(1, entries);
        double required = Math.min(MAX_REQUESTS, MEAN_REQUESTS * entryBytes / meanBytes);
        // The request for this response may have been forgotten already.
        return required <= 1 || requests.count(key.hashCode()) >= required;
    }
}
