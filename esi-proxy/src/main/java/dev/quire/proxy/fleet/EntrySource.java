package dev.quire.proxy.fleet;

/** How an invalidation of the fleet came to this node. */
public enum EntrySource {
    /** It was made here. */
    LOCAL,
    /** By a message that it was appended. */
    DOORBELL,
    /** By reading the log. */
    CATCHUP
}
