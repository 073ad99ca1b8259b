package dev.quire.proxy.fetch;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * The state of one server of an origin at one moment.
 *
 * @param requests requests in progress, including queued ones
 * @param connections connections open or being opened
 * @param idle connections without a request
 * @param queued requests waiting for a connection
 * @param tlsFault why the last TLS handshake failed; null if it did not
 */
public record ServerState(
        URI url,
        Circuit circuit,
        Health health,
        int requests,
        int connections,
        int idle,
        int queued,
        @Nullable String tlsFault) {

    /** The state of the circuit breaker. */
    public enum Circuit {
        /** All requests are sent. */
        CLOSED,
        /** Trial requests are sent. */
        HALF_OPEN,
        /** No requests are sent. */
        OPEN
    }

    /** The result of the last health checks. */
    public enum Health {
        /** No health checks are configured, or none has a result yet. */
        UNCHECKED,
        UP,
        DOWN
    }
}
