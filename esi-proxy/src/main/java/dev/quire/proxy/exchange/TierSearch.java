package dev.quire.proxy.exchange;

import org.jspecify.annotations.Nullable;

/**
 * A search for a response in the tier below the memory.
 *
 * @param isFound whether it had a response to the request
 * @param nanos how long the request waited for it
 */
public record TierSearch(boolean isFound, long nanos) {
    /** One that had the response at hand. */
    public static final TierSearch AT_ONCE = new TierSearch(true, 0);

    /** The name of the upper tier. */
    public static final String MEMORY = "memory";

    /** The name of the lower tier. */
    public static final String DISK = "disk";

    /**
     * Returns the name of the tier of a stored response.
     *
     * @param search the search for it; null if the memory had it at once
     */
    public static String tierAfter(@Nullable TierSearch search) {
        return search != null && search.isFound() ? DISK : MEMORY;
    }
}
