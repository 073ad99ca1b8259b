package dev.quire.proxy.path;

/** What a request is sent to an origin for. */
enum Purpose {
    /** The answer is for this client alone: its conditions and codings are the origin's. */
    FORWARD,
    /** The answer may be stored for all: whole, unconditional, and fit to be parsed. */
    STORE,
    /** As STORE, for the head of the stored response alone. */
    HEAD,
    /** As STORE, for a part of a page: nothing of the page's own body or form goes along. */
    INCLUDE
}
