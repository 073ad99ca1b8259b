package dev.quire.proxy.exchange;

import org.jspecify.annotations.Nullable;

/** How the origin was asked for a request, for the access log. */
public interface FetchReport {

    /** The URL of the server asked last, as configured; null if none was. */
    @Nullable String server();

    /**
     * From the request to the origin to the head of its response, or its failure; -1 if neither.
     */
    long originNanos();

    /** Why the response is not stored; null if it is stored or absent. */
    @Nullable String refusal();
}
