package dev.quire.proxy.cache;

import dev.quire.core.parse.ParsedPage;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.StampStatus;
import dev.quire.core.policy.StorageRefusal;
import java.util.List;

/** Receives the events counted by the cache. Called on any loop. */
public interface CacheEvents {

    /** The result of a background refresh. */
    enum Refresh {
        /** The stored response was validated. */
        RENEWED,
        REPLACED,
        /** The new response is not cacheable. */
        UNCACHEABLE,
        FAILED
    }

    /** A response is not cacheable. */
    void uncacheable(StorageRefusal reason);

    /**
     * The document at {@code key} was parsed.
     *
     * @param isStrict whether a markup error makes it a failure
     */
    void parsed(CacheKey key, ParsedPage page, boolean isStrict);

    /**
     * A document was received.
     *
     * @param route the route of the request
     * @param stampStatus which of its tags are processed
     */
    void judged(String route, StampStatus stampStatus);

    /**
     * Rules were applied to a response.
     *
     * @param applied the names of those that matched
     * @param failed the names of those whose condition or template has failed
     */
    default void ruled(List<String> applied, List<String> failed) {}

    /** A request joined a fetch in flight. */
    void coalesced();

    /** The fetch of {@code key} could not be started or completed because of an internal error. */
    void bug(CacheKey key, Throwable bug);

    /** A background refresh has ended. */
    void refreshed(Refresh outcome);
}
