package dev.quire.spring;

/** The action when the fragment of an include and its alternative both fail. */
public enum OnError {
    /** Nothing is inserted, without an error. */
    CONTINUE,
    /** The page fails: 502, or 504 if the fragment was too slow. */
    FAIL,
    /** The policy configured for assembly applies. */
    PAGE_POLICY
}
