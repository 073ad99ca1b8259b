package dev.quire.core.expression;

/** How text is written into the place where it stands, so that it cannot leave it. */
public enum Escape {
    /** Nothing asked for: of values that come from the request, angle brackets are escaped. */
    MARKUP,
    /** {@code & < > " '} as character references. */
    HTML,
    /** As the inside of a JSON string (RFC 8259 §7). */
    JSON,
    /** As the inside of a JavaScript string, safe inside a script element too. */
    JS,
    /** Percent-encoded, but for what is unreserved (RFC 3986 §2.3). */
    URL,
    /** As it is. */
    NONE
}
