package dev.quire.core.assemble;

import java.util.Locale;

/**
 * Why there is no answer. A value, because it chooses what stands in: an alternative, a stale
 * response, or an error page.
 *
 * @param side whose fault it is
 * @param kind what went wrong
 * @param status the fragment's, if that is what is wrong with it; else 0
 * @param detail for the log, never for a client
 */
public record Failure(Side side, Kind kind, int status, String detail) {

    /** A failure without status. */
    public Failure(Side side, Kind kind, String detail) {
        this(side, kind, 0, detail);
    }

    /** As a log line says it: {@code origin timeout: first-byte-timeout}. */
    @Override
    public String toString() {
        return side.name().toLowerCase(Locale.ROOT)
                + ' '
                + kind.name().toLowerCase(Locale.ROOT).replace('_', '-')
                + ": "
                + detail;
    }

    /** Whose fault a failure is. */
    public enum Side {
        CLIENT,
        ORIGIN,
        PROXY
    }

    /** What went wrong. */
    public enum Kind {
        /** No connection to the origin. */
        UNREACHABLE,
        /** The origin has failed so often that it is not asked for the time being. */
        CIRCUIT_OPEN,
        /** The origin, a fragment or the page took longer than its deadline. */
        TIMEOUT,
        /** The connection broke before the response was whole. */
        TRUNCATED,
        /** The origin's bytes are no HTTP response. */
        MALFORMED,
        /** A fragment's status says that it is none. */
        STATUS,
        /** Larger than its limit. */
        TOO_LARGE,
        /** No route leads there, or it must not be included. */
        DENIED,
        /** The fragment includes itself, directly or through others. */
        LOOP,
        /** Nested deeper than the limit. */
        DEPTH,
        /** The page's fragments are used up. */
        BUDGET,
        /** No room to wait or to keep it. */
        OVERLOAD,
        /** The client has gone. */
        CANCELLED,
        /** Our own fault. */
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
