package dev.quire.proxy.cache;

/** The result of offering a response to a lower tier. */
public enum TierWrite {
    STORED,
    /** Too many bytes waited, or were written in the last second. */
    DROPPED,
    /** Its lifetime is too short, it is too large, or it sets cookies. */
    REFUSED,
    /** It was replaced or hidden before it was written. */
    REPLACED,
    /** The tier could not take it. */
    FAILED
}
