package dev.quire.proxy.path;

/** The purpose of a request to an origin. */
enum Purpose {
    /** For this client alone: its conditions and codings are forwarded. */
    FORWARD,
    /** Like FORWARD, with its range. */
    PART,
    /** To store the response for all: a whole, unconditional and parseable response is wanted. */
    STORE,
    /** Like STORE, for the head of the stored response only. */
    HEAD,
    /**
     * Like STORE, for a fragment: the body of the page's request and the fields that refer to that
     * request alone are not sent.
     */
    INCLUDE
}
