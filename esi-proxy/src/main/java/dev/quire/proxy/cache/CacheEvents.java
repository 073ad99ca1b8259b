package dev.quire.proxy.cache;

/** What the cache counts. Called on any loop. */
public interface CacheEvents {

    /** What a refresh nobody waited for has brought. */
    enum Refresh {
        /** The stored response still holds. */
        RENEWED,
        REPLACED,
        /** An answer that could not be stored. */
        UNCACHEABLE,
        FAILED
    }

    /**
     * An answer could not be stored.
     *
     * @param reason a constant of the rule that refused it
     */
    void uncacheable(Enum<?> reason);

    /** A page was compiled, with {@code errors} faults in its markup. */
    void parsed(int errors);

    /** A request joined a fetch that was already under way. */
    void coalesced();

    /** A refresh has ended. */
    void refreshed(Refresh outcome);
}
