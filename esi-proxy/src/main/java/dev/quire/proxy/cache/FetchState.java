package dev.quire.proxy.cache;

/** The state of a {@link CoalescedFetch}. */
enum FetchState {
    /** Sent; no head yet. */
    AWAITED,
    /** Like AWAITED, for so long that only the asker still waits. */
    OVERDUE,
    /** The response is being stored. */
    STORING,
    /** Like STORING, while it is also streamed to the asker. */
    STORING_AND_FLOWING,
    /** The response is an ESI document for the asker only. */
    COMPILING,
    /** The response is streamed to the asker and not stored. */
    FLOWING,
    ENDED
}
