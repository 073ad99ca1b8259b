package dev.quire.proxy.cache;

/** The result of asking a lower tier for the response to a request. */
public enum TierOutcome {
    /** There was a response, fresh or stale. */
    HIT,
    /** There was none for this request. */
    MISS,
    /** It was invalidated, or of no more use. */
    OUTDATED,
    /** The bytes were damaged, or contradicted each other. */
    CORRUPT,
    /** The answer came too late. */
    TIMEOUT,
    /** Too many requests waited already, or the tier does not work at present. */
    REFUSED,
    /** The tier answered with an error. */
    ERROR
}
