package dev.quire.core.policy;

/** Which tags of a document are markup, decided once, on arrival. */
public enum StampStatus {
    /** The origin sent no stamp: all tags are. */
    UNSTAMPED,
    /** The origin returned the stamp of the request: only tags with it are. */
    STAMPED,
    /** It has another stamp, or lacks the one of the request: no tags are. */
    INERT
}
