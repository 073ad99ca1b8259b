package dev.quire.proxy.listen;

/** How the header of the PROXY protocol at the beginning of a connection was read. */
public enum ProxyHeaderResult {
    /** It names the client. */
    NAMED,
    /** The connection is the peer's own (UNKNOWN of version 1, LOCAL of version 2). */
    LOCAL,
    /** The connection begins with something else; closed. */
    ABSENT,
    /** Closed. */
    MALFORMED,
    /** It was incomplete after the time limit; closed. */
    LATE,
    /** The peer closed the connection before the header was complete. */
    CUT,
    /** The peer is not listed in {@code proxy-protocol}; closed. */
    UNLISTED
}
