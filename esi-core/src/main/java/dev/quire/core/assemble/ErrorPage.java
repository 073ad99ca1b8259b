package dev.quire.core.assemble;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;

/**
 * A static answer of our own: says what went wrong in a sentence, nothing of the request.
 *
 * @param status 4xx or 5xx
 * @param text one line
 */
public record ErrorPage(int status, String text) {

    /** What is stored must be validated, and nobody is there to do it (RFC 9111 §5.2.2.2). */
    public static final ErrorPage NOT_VALIDATED =
            new ErrorPage(504, "The server behind this one could not be asked.");

    /** The client wants nothing but what is stored (RFC 9111 §5.2.1.7). */
    private static final ErrorPage NOT_STORED =
            new ErrorPage(504, "Nothing stored answers this, and nothing else was wanted.");

    /** No route has the request's host (RFC 9110 §15.5.20). */
    public static final ErrorPage MISDIRECTED =
            new ErrorPage(421, "This server is not responsible for that host.");

    /** No route has the request's path. */
    public static final ErrorPage NOT_FOUND = new ErrorPage(404, "Nothing is served at that path.");

    /** Our own fault. */
    public static final ErrorPage FAILED = new ErrorPage(500, "This server failed.");

    /** The page cannot be without a fragment, and that failed. */
    private static final ErrorPage INCOMPLETE =
            new ErrorPage(502, "A part of the page that it needs could not be had.");

    /**
     * What a client is told of a page that is not answered because of {@code failure}, a fragment's
     * or its own.
     */
    public static ErrorPage ofPage(Failure failure) {
        return failure.kind() == Kind.TIMEOUT ? of(failure) : INCOMPLETE;
    }

    /** What a client is told of {@code failure}. */
    public static ErrorPage of(Failure failure) {
        if (failure.side() == Side.CLIENT) {
            return ofClient(failure.kind());
        }
        if (failure.side() == Side.ORIGIN) {
            return switch (failure.kind()) {
                case TIMEOUT ->
                        new ErrorPage(504, "The server behind this one did not answer in time.");
                case CIRCUIT_OPEN ->
                        new ErrorPage(503, "The server behind this one is not asked for now.");
                case UNREACHABLE,
                        TRUNCATED,
                        MALFORMED,
                        STATUS,
                        TOO_LARGE,
                        DENIED,
                        LOOP,
                        DEPTH,
                        BUDGET,
                        OVERLOAD,
                        CANCELLED,
                        BUG ->
                        new ErrorPage(502, "The server behind this one gave no usable answer.");
            };
        }
        return switch (failure.kind()) {
            case OVERLOAD -> new ErrorPage(503, "Too much is asked of this server right now.");
            case TIMEOUT -> new ErrorPage(504, "The page took too long.");
            case UNREACHABLE, CIRCUIT_OPEN, TRUNCATED, MALFORMED, STATUS, TOO_LARGE ->
                    new ErrorPage(502, "The server behind this one gave no usable answer.");
            case DENIED, LOOP, DEPTH, BUDGET, CANCELLED, BUG -> FAILED;
        };
    }

    private static ErrorPage ofClient(Kind kind) {
        if (kind == Kind.UNREACHABLE) {
            return NOT_STORED;
        }
        return kind == Kind.TIMEOUT
                ? new ErrorPage(408, "The request came too slowly.")
                : new ErrorPage(400, "The request broke off or was not well formed.");
    }
}
