package dev.quire.core.http;

/**
 * The head of a request.
 *
 * @param method as received; methods are case-sensitive (RFC 9110 §9.1)
 * @param scheme of the client's request
 * @param authority host and port as in Host or {@code :authority}
 * @param target path and query as received, starting with {@code /}, or {@code *} for OPTIONS
 * @param fields all field lines, including Host
 */
public record RequestHead(
        String method, Scheme scheme, String authority, String target, Fields fields) {

    /** The methods that clients may use, as a value of Allow (RFC 9110 §10.2.1). */
    public static final String ALLOWED_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

    public boolean isGet() {
        return method.equals("GET");
    }

    public boolean isHead() {
        return method.equals("HEAD");
    }

    /** Whether the method changes nothing at the origin (RFC 9110 §9.2.1). */
    public boolean isSafe() {
        return switch (method) {
            case "GET", "HEAD", "OPTIONS", "TRACE" -> true;
            default -> false;
        };
    }
}
