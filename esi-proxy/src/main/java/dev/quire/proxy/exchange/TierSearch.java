package dev.quire.proxy.exchange;

import org.jspecify.annotations.Nullable;

/**
 * A search for a response in the tiers below the memory.
 *
 * @param found the name of the tier that had a response to the request; null for none
 * @param nanos how long the request waited for it
 */
public record TierSearch(@Nullable String found, long nanos) {

    /** The name of the upper tier. */
    public static final String MEMORY = "memory";

    /** The name of the tier on disk. */
    public static final String DISK = "disk";

    /** The name of the tier that several proxies share. */
    public static final String SHARED = "shared";

    /** One that had the response at hand. */
    public static final TierSearch AT_ONCE = new TierSearch(DISK, 0);

    /** One that found nothing. */
    public static TierSearch without(long nanos) {
        return new TierSearch(null, nanos);
    }

    /** Whether a tier had a response to the request. */
    public boolean isFound() {
        return found != null;
    }

    /**
     * Returns the name of the tier of a stored response.
     *
     * @param search the search for it; null if the memory had it at once
     */
    public static String tierAfter(@Nullable TierSearch search) {
        return search == null || search.found() == null ? MEMORY : search.found();
    }
}
