package dev.quire.proxy.fetch;

import java.net.URI;

/**
 * How one server of an origin stands at a moment.
 *
 * @param requests under way, the waiting ones included
 * @param connections open or being opened
 * @param idle of these, the ones without a request
 * @param queued requests that wait for a connection
 */
public record ServerState(
        URI url,
        Circuit circuit,
        Health health,
        int requests,
        int connections,
        int idle,
        int queued) {

    /** Whether requests are sent. */
    public enum Circuit {
        /** All of them. */
        CLOSED,
        /** A few, to see whether it has recovered. */
        HALF_OPEN,
        /** None. */
        OPEN
    }

    /** What the last checks have found. */
    public enum Health {
        /** There are none. */
        UNCHECKED,
        UP,
        DOWN
    }
}
