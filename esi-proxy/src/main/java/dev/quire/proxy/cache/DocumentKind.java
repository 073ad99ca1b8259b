package dev.quire.proxy.cache;

/** Whether a response is an ESI document, by its head as the response rules have changed it. */
public enum DocumentKind {
    /** It is not a document. */
    NONE,
    /** It is a part of a document. */
    PART,
    /** It is a document, of which all tags are processed. */
    UNSTAMPED,
    /** It is a document, of which the tags with the stamp of its request are processed. */
    STAMPED;

    /** Whether it is a whole document. */
    public boolean isDocument() {
        return this == UNSTAMPED || this == STAMPED;
    }
}
