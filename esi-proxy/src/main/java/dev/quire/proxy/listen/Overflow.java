package dev.quire.proxy.listen;

/** Why a connection was closed as it came. */
enum Overflow {
    /** The listener has as many as it takes. */
    TOO_MANY_CONNECTIONS,
    /** Its client has as many as one may have. */
    TOO_MANY_OF_ONE_CLIENT
}
