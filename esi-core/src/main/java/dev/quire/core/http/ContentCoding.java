package dev.quire.core.http;

import java.util.Locale;

/** How the content of a message is coded (RFC 9110 §8.4.1), as far as we know the way back. */
public enum ContentCoding {
    /** Not at all. */
    IDENTITY,
    GZIP,
    /** As RFC 1950, or bare as RFC 1951. */
    DEFLATE,
    /** By a coding unknown to us, or by several. */
    OTHER;

    /** The coding that {@code fields} name. */
    public static ContentCoding of(Fields fields) {
        var named = String.join(",", fields.all("content-encoding"));
        return switch (named.strip().toLowerCase(Locale.ROOT)) {
            case "", "identity" -> IDENTITY;
            case "gzip", "x-gzip" -> GZIP;
            case "deflate" -> DEFLATE;
            default -> OTHER;
        };
    }

    /** Whether the content is coded at all. */
    public boolean isCoded() {
        return this != IDENTITY;
    }

    /** Whether it is coded, and the coding can be undone. */
    public boolean isUndoable() {
        return this == GZIP || this == DEFLATE;
    }
}
