package dev.quire.core.assemble;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;

/**
 * A static response of the proxy: describes the error in a sentence, without data of the request.
 *
 * @param status 4xx or 5xx
 * @param text one line
 */
public record ErrorPage(int status, String text) {

    /** The stored response must be validated, but the origin is unreachable (RFC 9111 §5.2.2.2). */
    public static final ErrorPage NOT_VALIDATED =
            new ErrorPage(504, "The origin server could not be reached to validate the response.");

    /** The client accepts only a stored response (RFC 9111 §5.2.1.7). */
    private static final ErrorPage NOT_STORED =
            new ErrorPage(504, "No stored response matches this only-if-cached request.");

    /** No route has the request's host (RFC 9110 §15.5.20). */
    public static final ErrorPage MISDIRECTED =
            new ErrorPage(421, "This server does not serve the requested host.");

    /** No route has the request's path. */
    public static final ErrorPage NOT_FOUND = new ErrorPage(404, "No page is served at this path.");

    /** The request body is larger than its limit (RFC 9110 §15.5.14). */
    public static final ErrorPage BODY_TOO_LARGE =
            new ErrorPage(413, "The request body is too large.");

    /** The limit of tunnels is reached. */
    public static final ErrorPage TOO_MANY_TUNNELS =
            new ErrorPage(503, "This server has too many open WebSockets.");

    public static final ErrorPage FAILED = new ErrorPage(500, "Internal server error.");

    /** A required fragment failed. */
    private static final ErrorPage INCOMPLETE =
            new ErrorPage(502, "A required part of the page could not be fetched.");

    /** The reason phrase of its status (RFC 9110 §15). */
    public String title() {
        return switch (status) {
            case 400 -> "Bad Request";
            case 404 -> "Not Found";
            case 408 -> "Request Timeout";
            case 413 -> "Content Too Large";
            case 421 -> "Misdirected Request";
            case 500 -> "Internal Server Error";
            case 502 -> "Bad Gateway";
            case 503 -> "Service Unavailable";
            case 504 -> "Gateway Timeout";
            default -> "Error";
        };
    }

    /** Returns the response for a page that failed by {@code failure}, its own or a fragment's. */
    public static ErrorPage ofPage(Failure failure) {
        return failure.kind() == Kind.TIMEOUT ? of(failure) : INCOMPLETE;
    }

    public static ErrorPage of(Failure failure) {
        if (failure.side() == Side.CLIENT) {
            return ofClient(failure.kind());
        }
        if (failure.side() == Side.ORIGIN) {
            return switch (failure.kind()) {
                case TIMEOUT -> new ErrorPage(504, "The origin server did not respond in time.");
                case CIRCUIT_OPEN ->
                        new ErrorPage(503, "The origin server is temporarily unavailable.");
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
                        new ErrorPage(502, "The origin server sent no usable response.");
            };
        }
        return switch (failure.kind()) {
            case OVERLOAD -> new ErrorPage(503, "This server is overloaded.");
            case TIMEOUT -> new ErrorPage(504, "The page was not ready in time.");
            case UNREACHABLE, CIRCUIT_OPEN, TRUNCATED, MALFORMED, STATUS, TOO_LARGE ->
                    new ErrorPage(502, "The origin server sent no usable response.");
            case DENIED, LOOP, DEPTH, BUDGET, CANCELLED, BUG -> FAILED;
        };
    }

    private static ErrorPage ofClient(Kind kind) {
        if (kind == Kind.UNREACHABLE) {
            return NOT_STORED;
        }
        if (kind == Kind.TOO_LARGE) {
            return BODY_TOO_LARGE;
        }
        return kind == Kind.TIMEOUT
                ? new ErrorPage(408, "The request was not received in time.")
                : new ErrorPage(400, "The request is incomplete or malformed.");
    }
}
