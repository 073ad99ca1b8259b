package dev.quire.proxy.listen;

/** Why a connection was closed on accept. */
public enum Overflow {
    /** The listener has reached its connection limit. */
    TOO_MANY_CONNECTIONS,
    /** The client has reached its connection limit. */
    TOO_MANY_OF_ONE_CLIENT,
    /** Too many handshakes of TLS are in progress. */
    TOO_MANY_HANDSHAKES
}
