package dev.quire.core.assemble;

/** What becomes of a page when a fragment fails and its include says nothing about it. */
public enum ErrorPolicy {
    /** The fragment is left out. */
    OMIT,
    /** The page fails. */
    FAIL
}
