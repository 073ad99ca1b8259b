package dev.quire.core.assemble;

/** The effect on a page if a fragment fails and its include has no {@code onerror}. */
public enum ErrorPolicy {
    /** The fragment is omitted. */
    OMIT,
    /** The page fails. */
    FAIL
}
