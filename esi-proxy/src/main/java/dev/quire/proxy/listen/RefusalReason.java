package dev.quire.proxy.listen;

import dev.quire.core.assemble.ErrorPage;

/** Why a request is refused. Logs and metrics print the constant's name. */
public enum RefusalReason {
    /** The request line is longer than {@code limits.request-line} (RFC 9112 §3). */
    REQUEST_LINE_TOO_LONG(414),
    /** One field line is longer than {@code limits.field} (RFC 6585 §5). */
    FIELD_TOO_LONG(431),
    /** The name of a field is longer than 1 KiB. */
    FIELD_NAME_TOO_LONG(431),
    /** Request line and fields together are longer than {@code limits.head}. */
    HEAD_TOO_LONG(431),
    /** More field lines than {@code limits.fields}. */
    TOO_MANY_FIELDS(431),
    /** A line ends with LF alone (RFC 9112 §2.2). */
    BARE_LF(400),
    /** CR without LF (RFC 9112 §2.2). */
    BARE_CR(400),
    /** More than one empty line, or white space, in front of the request line. */
    BAD_START(400),
    /** Not three words separated by single spaces, or bytes not allowed in a request line. */
    BAD_REQUEST_LINE(400),
    /** The third word is not an HTTP version. */
    BAD_VERSION(400),
    /** An unsupported HTTP version (RFC 9110 §15.6.6). */
    UNSUPPORTED_VERSION(505),
    /** A field continues on the next line (RFC 9112 §5.2). */
    OBS_FOLD(400),
    /** An empty name, white space before the colon, or invalid characters (RFC 9112 §5.1). */
    BAD_FIELD_NAME(400),
    /** NUL or another control character in a field value (RFC 9110 §5.5). */
    BAD_FIELD_VALUE(400),
    /** Netty's decoder found an error that these checks do not cover. */
    UNREADABLE_HEAD(400),

    /** Invalid characters in the method (RFC 9110 §9.1). */
    BAD_METHOD(400),
    /** A method of more than 32 characters (RFC 9112 §3). */
    METHOD_TOO_LONG(501),
    /** TRACE or CONNECT; PURGE or BAN unless {@code invalidation.methods} names it. */
    METHOD_NOT_ALLOWED(405),
    /** Content-Length and Transfer-Encoding together (RFC 9112 §6.1). */
    LENGTH_AND_CODING(400),
    /** Content-Length twice, or not a decimal number (RFC 9112 §6.3). */
    BAD_CONTENT_LENGTH(400),
    /** Transfer-Encoding twice, malformed, not ending in chunked, or in HTTP/1.0. */
    BAD_TRANSFER_ENCODING(400),
    /** A transfer coding other than chunked (RFC 9112 §6.1). */
    UNKNOWN_TRANSFER_CODING(501),
    /** Netty's decoder reads a body where the fields announce none, or the reverse. */
    AMBIGUOUS_LENGTH(400),
    /**
     * A request of HTTP/1.0 without Host, while neither {@code listen.default-host} nor the routes
     * name a single host.
     */
    NO_DEFAULT_HOST(400, "A request of HTTP/1.0 needs a Host field here."),
    /** Host is repeated, or absent in HTTP/1.1 (RFC 9112 §3.2). */
    NOT_ONE_HOST(400),
    /** Host is not {@code host[:port]} (RFC 3986 §3.2.2). */
    BAD_HOST(400),
    /** The certificate of the connection is for other hosts (RFC 9110 §15.5.20). */
    NOT_COVERED(421, "The certificate of this connection is for other hosts."),
    /** The target has an unsupported form (RFC 9112 §3.2). */
    BAD_TARGET(400),
    /**
     * The path has a dot segment, plain or encoded, which origins and routes could resolve
     * differently.
     */
    DOT_SEGMENT(400),
    /** Connection is malformed or names an end-to-end field (RFC 9110 §7.6.1). */
    BAD_CONNECTION(400),
    /** An expectation other than 100-continue (RFC 9110 §10.1.1). */
    UNKNOWN_EXPECTATION(417),
    /** Via or CDN-Loop shows that the request has passed this proxy before (RFC 5842 §7.2). */
    LOOP(508),
    /** An extended CONNECT with another version of WebSocket than 13 (RFC 8441 §5). */
    BAD_WEBSOCKET(400, "Only version 13 of WebSocket is supported."),
    /** An extended CONNECT for another protocol than WebSocket (RFC 9220 §3). */
    UNKNOWN_PROTOCOL(501, "Extended CONNECT is for WebSockets only."),
    /** Bytes follow a request for a tunnel before its response (RFC 9110 §7.8). */
    EARLY_TUNNEL_BYTES(400, "Bytes followed the handshake before its response."),

    /**
     * A pseudo-field of HTTP/2 is missing, repeated, unknown, misplaced or malformed (RFC 9113
     * §8.3).
     */
    BAD_PSEUDO_FIELD(400),
    /** A field of HTTP/2 that belongs to a connection of HTTP/1.1 (RFC 9113 §8.2.2). */
    CONNECTION_FIELD(400),
    /** {@code :authority} and Host differ (RFC 9113 §8.3.1). */
    AUTHORITY_MISMATCH(400),
    /** {@code :scheme} is not that of the listener, and the peer is not in {@code trusted}. */
    BAD_SCHEME(400, "The scheme of the request is not that of the connection."),
    /** The trailer section of HTTP/2 is malformed (RFC 9113 §8.1). */
    BAD_TRAILERS(400),

    /** The head was not complete in time (RFC 9110 §15.5.9). */
    HEAD_TIMEOUT(408),

    /** A chunk's size line, its end or the trailer section is malformed (RFC 9112 §7.1). */
    BAD_CHUNK(400),
    /** The connection ended inside a body. */
    BODY_CUT(400);

    private final int status;
    private final String text;

    RefusalReason(int status) {
        this(status, ErrorPage.ofRefused(status).text());
    }

    RefusalReason(int status, String text) {
        this.status = status;
        this.text = text;
    }

    /** The response, if one can still be sent. */
    ErrorPage page() {
        return new ErrorPage(status, text);
    }

    int status() {
        return status;
    }

    /** Whether the bytes are not those of a request of HTTP/1.1. */
    boolean isOfNoRequest() {
        return this == BAD_START || this == BAD_REQUEST_LINE || this == BAD_VERSION;
    }

    /**
     * Whether it makes a request of HTTP/2 malformed (RFC 9113 §8.1.1): its stream is reset. Any
     * other is answered.
     */
    boolean isMalformedHttp2() {
        return switch (this) {
            case BAD_PSEUDO_FIELD,
                    BAD_FIELD_NAME,
                    BAD_FIELD_VALUE,
                    BAD_METHOD,
                    CONNECTION_FIELD,
                    BAD_CONTENT_LENGTH,
                    BAD_TRAILERS,
                    EARLY_TUNNEL_BYTES ->
                    true;
            default -> false;
        };
    }
}
