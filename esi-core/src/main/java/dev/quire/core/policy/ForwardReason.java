package dev.quire.core.policy;

/** Why a request was forwarded to the origin, as in {@code Cache-Status} (RFC 9211 §2.2). */
public enum ForwardReason {
    /** The cache does not handle such requests. */
    BYPASS("bypass"),
    /** The method must reach the origin. */
    METHOD("method"),
    /** Nothing is stored under the key. */
    URI_MISS("uri-miss"),
    /** Only responses with other selecting fields are stored under the key. */
    VARY_MISS("vary-miss"),
    /** No stored response is usable; the reason was not determined. */
    MISS("miss"),
    /** The stored response is fresh, but does not meet the request's directives. */
    REQUEST("request"),
    /** The stored response must be validated first. */
    STALE("stale");

    private final String token;

    ForwardReason(String token) {
        this.token = token;
    }

    String token() {
        return token;
    }
}
