package dev.quire.core.assemble;

import java.util.Locale;

/**
 * Why there is no response. A value, because it selects the substitute: an alternative, a stale
 * response, or an error page.
 *
 * @param side whose fault it is
 * @param kind what went wrong
 * @param status the fragment's, if that is the reason; else 0
 * @param detail for the log, never for a client
 */
public record Failure(Side side, Kind kind, int status, String detail) {

    public Failure(Side side, Kind kind, String detail) {
        this(side, kind, 0, detail);
    }

    /** Returns it as a log line shows it: {@code origin timeout: first-byte-timeout}. */
    @Override
    public String toString() {
        return side.name().toLowerCase(Locale.ROOT)
                + ' '
                + kind.name().toLowerCase(Locale.ROOT).replace('_', '-')
                + ": "
                + detail;
    }

    /** The side that is at fault. */
    public enum Side {
        CLIENT,
        ORIGIN,
        PROXY
    }

    /** The kinds of failure. */
    public enum Kind {
        /** No connection to the origin. */
        UNREACHABLE,
        /** The circuit breaker of the origin is open. */
        CIRCUIT_OPEN,
        /** The origin, a fragment or the page took longer than its deadline. */
        TIMEOUT,
        /** The connection broke before the response was complete. */
        TRUNCATED,
        /** The origin's bytes are not an HTTP response. */
        MALFORMED,
        /** The fragment's status is an error. */
        STATUS,
        /** Larger than its limit. */
        TOO_LARGE,
        /** No route matches, or it must not be included. */
        DENIED,
        /** The fragment includes itself, directly or through others. */
        LOOP,
        /** Nested deeper than the limit. */
        DEPTH,
        /** The page has too many fragments. */
        BUDGET,
        /** No capacity to wait or to store it. */
        OVERLOAD,
        /** The client has gone. */
        CANCELLED,
        /** A fault of this server. */
        BUG;

        /** Whether the include itself was refused, so that nothing was requested. */
        public boolean isRefusal() {
            return switch (this) {
                case DENIED, LOOP, DEPTH, BUDGET -> true;
                case UNREACHABLE,
                        CIRCUIT_OPEN,
                        TIMEOUT,
                        TRUNCATED,
                        MALFORMED,
                        STATUS,
                        TOO_LARGE,
                        OVERLOAD,
                        CANCELLED,
                        BUG ->
                        false;
            };
        }
    }
}
