package dev.quire.proxy.listen;

/** Why a connection of HTTP/2 was ended. Logs and metrics print the constant's name. */
public enum GoAwayReason {
    /** Too many resets by the client, or that its frames made us send. */
    RESETS,
    CONTINUATION,
    SETTINGS,
    PING,
    PRIORITY,
    WINDOW_UPDATE,
    EMPTY_DATA,
    /** Frames of unknown types, or HEADERS on streams that we have reset. */
    OTHER_FRAMES,
    /** A frame violates the protocol (RFC 9113 §5.4.1). */
    PROTOCOL_ERROR,
    /** A frame or a header block was not complete in time. */
    FRAME_TIMEOUT,
    /** No request for the time of {@code listen.keep-alive}. */
    IDLE,
    /** The client has ended the connection, and has got all responses. */
    CLIENT,
    /** Its certificate is no longer in use, or its address has got or lost TLS. */
    RETIRED,
    /** The proxy stops. */
    DRAIN
}
