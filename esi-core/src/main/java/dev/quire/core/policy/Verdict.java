package dev.quire.core.policy;

/** Which tags of a document are markup, judged once, as it arrives. */
public enum Verdict {
    /** Its origin said nothing of stamps: all of them, if any. */
    UNSTAMPED,
    /** Its origin gave back the stamp of the request: those that bear it. */
    STAMPED,
    /** It bears another's stamp, or should bear ours and does not: none. */
    INERT
}
