package dev.quire.core.assemble;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.FieldNames;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;

/**
 * A static response of the proxy: describes the error in a sentence, without data of the request.
 *
 * @param status 4xx or 5xx
 * @param text one line
 * @param fields that belong to the status, such as {@code WWW-Authenticate}
 */
public record ErrorPage(int status, String text, Fields fields) {
    private static final FieldNames OF_STATUS =
            FieldNames.of("allow", "retry-after", "www-authenticate");

    /** Fields of a page that do not apply if it is sent in place of another response. */
    private static final FieldNames OF_PAGE =
            FieldNames.of(
                    "accept-ranges",
                    "age",
                    "cache-control",
                    "cdn-cache-control",
                    "etag",
                    "expires",
                    "last-modified",
                    "set-cookie",
                    "surrogate-control");

    /** Creates a page with the fields that each response of its status has. */
    public ErrorPage(int status, String text) {
        this(
                status,
                text,
                switch (status) {
                    case 405 -> Fields.of("Allow", RequestHead.ALLOWED_METHODS);
                    case 503 -> Fields.of("Retry-After", "1");
                    default -> Fields.EMPTY;
                });
    }

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

    /** Too many requests wait for the check of their passwords. */
    public static final ErrorPage TOO_MANY_LOGINS =
            new ErrorPage(503, "Too many passwords are being checked: try again later.");

    /** The limit of tunnels is reached. */
    public static final ErrorPage TOO_MANY_TUNNELS =
            new ErrorPage(503, "This server has too many open WebSockets.");

    public static final ErrorPage FAILED = new ErrorPage(500, "Internal server error.");

    /** A required fragment failed. */
    private static final ErrorPage INCOMPLETE =
            new ErrorPage(502, "A required part of the page could not be fetched.");

    /** Returns the page for a request that needs a name and a password (RFC 7617 §2). */
    public static ErrorPage ofLogin(String realm) {
        var quoted = realm.replace("\\", "\\\\").replace("\"", "\\\"");
        return new ErrorPage(
                401,
                ofRule(401).text(),
                new Fields.Builder()
                        .add(
                                "WWW-Authenticate",
                                "Basic realm=\"" + quoted + "\", charset=\"UTF-8\"")
                        .build());
    }

    /** Returns the page for a request that exceeds a rate (RFC 6585 §4). */
    public static ErrorPage ofRate(long retryNanos) {
        long seconds = Math.ceilDiv(retryNanos, 1_000_000_000L);
        return new ErrorPage(
                429,
                ofRule(429).text(),
                new Fields.Builder()
                        .add("Retry-After", String.valueOf(Math.max(seconds, 1)))
                        .build());
    }

    /** Returns the page for a request that a rule refuses with {@code status}. */
    public static ErrorPage ofRule(int status) {
        return new ErrorPage(
                status,
                switch (status) {
                    case 401 -> "A user name and a password are required.";
                    case 405 -> "This method is not allowed here.";
                    case 429 -> "Too many requests: try again later.";
                    default ->
                            status >= 500
                                    ? "The service is not available."
                                    : "This request is not allowed.";
                });
    }

    /**
     * Returns the page that is sent in place of an origin's response.
     *
     * @param received the fields of that response; those that belong to the status are kept
     */
    public static ErrorPage ofIntercepted(int status, Fields received) {
        return new ErrorPage(
                status,
                switch (status) {
                    case 404, 410 -> "There is no page at this address.";
                    default ->
                            status >= 500
                                    ? "The service is not available."
                                    : "The request was not accepted.";
                },
                received.without(name -> !OF_STATUS.contains(name)));
    }

    /**
     * Returns the fields of {@code page}, a page of the operator with status 200, if it is sent in
     * place of this one.
     */
    public Fields in(Fields page) {
        var lines =
                new Fields.Builder()
                        .addAll(
                                page.without(
                                        name -> OF_PAGE.contains(name) || OF_STATUS.contains(name)))
                        .add("Cache-Control", "no-store");
        if (!page.contains("x-content-type-options")) {
            lines.add("X-Content-Type-Options", "nosniff");
        }
        return lines.addAll(fields).build();
    }

    /** The reason phrase of its status (RFC 9110 §15, RFC 6585 §5, RFC 5842 §7.2). */
    public String title() {
        return switch (status) {
            case 400 -> "Bad Request";
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 408 -> "Request Timeout";
            case 410 -> "Gone";
            case 413 -> "Content Too Large";
            case 414 -> "URI Too Long";
            case 417 -> "Expectation Failed";
            case 421 -> "Misdirected Request";
            case 429 -> "Too Many Requests";
            case 451 -> "Unavailable For Legal Reasons";
            case 431 -> "Request Header Fields Too Large";
            case 500 -> "Internal Server Error";
            case 501 -> "Not Implemented";
            case 502 -> "Bad Gateway";
            case 503 -> "Service Unavailable";
            case 504 -> "Gateway Timeout";
            case 505 -> "HTTP Version Not Supported";
            case 508 -> "Loop Detected";
            default -> "Error";
        };
    }

    /**
     * Returns the response to a request that is refused before it is routed.
     *
     * @throws IllegalArgumentException if no request is refused with {@code status}
     */
    public static ErrorPage ofRefused(int status) {
        return new ErrorPage(
                status,
                switch (status) {
                    case 400 -> "The request is incomplete or malformed.";
                    case 405 -> "This server does not support the request's method.";
                    case 408 -> "The request was not received in time.";
                    case 414 -> "The request line is too long.";
                    case 417 -> "This server does not support the request's expectation.";
                    case 431 -> "The request has too many header fields, or they are too long.";
                    case 501 ->
                            "This server does not support the request's method or transfer coding.";
                    case 505 -> "This server does not support the request's version of HTTP.";
                    case 508 -> "The request has passed this server before.";
                    default ->
                            throw new IllegalArgumentException(
                                    "no request is refused with " + status);
                });
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
        return ofRefused(kind == Kind.TIMEOUT ? 408 : 400);
    }
}
