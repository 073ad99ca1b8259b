package dev.quire.proxy.fleet;

/** The event that the answer to an invalidation waits for. */
public enum Ack {
    /** This node. */
    LOCAL,
    /** The log. */
    LOG,
    /** All nodes that are alive. */
    FLEET
}
