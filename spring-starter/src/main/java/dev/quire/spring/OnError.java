package dev.quire.spring;

/** What happens to an include when its fragment and its alternative both fail. */
public enum OnError {
    /** It disappears, and that is no error. */
    CONTINUE,
    /** The page fails: 502, or 504 if the fragment was too slow. */
    FAIL,
    /** The page policy of whoever assembles decides. */
    PAGE_POLICY
}
