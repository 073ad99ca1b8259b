package dev.quire.proxy.cache;

import dev.quire.core.parse.ParsedPage;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.RefusalReason;
import dev.quire.core.policy.Verdict;

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

    /** An answer could not be stored. */
    void uncacheable(RefusalReason reason);

    /**
     * The document at {@code key} has been parsed.
     *
     * @param isStrict whether a fault in its markup makes it a failure
     */
    void parsed(CacheKey key, ParsedPage page, boolean isStrict);

    /**
     * A document has come.
     *
     * @param route of the request
     * @param verdict whose its tags are
     */
    void judged(String route, Verdict verdict);

    /** A request joined a fetch that was already under way. */
    void coalesced();

    /** A fetch of {@code key} could not even be started, through our own fault. */
    void bug(CacheKey key, RuntimeException bug);

    /** A refresh has ended. */
    void refreshed(Refresh outcome);
}
