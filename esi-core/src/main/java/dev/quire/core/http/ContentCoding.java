package dev.quire.core.http;

import java.util.Locale;

/** The content coding of a message (RFC 9110 §8.4.1), as far as it can be decoded. */
public enum ContentCoding {
    /** Not coded. */
    IDENTITY,
    GZIP,
    /** As RFC 1950, or raw as RFC 1951. */
    DEFLATE,
    /** An unknown coding, or several. */
    OTHER;

    public static ContentCoding of(Fields fields) {
        var named = String.join(",", fields.all("content-encoding"));
        return switch (named.strip().toLowerCase(Locale.ROOT)) {
            case "", "identity" -> IDENTITY;
            case "gzip", "x-gzip" -> GZIP;
            case "deflate" -> DEFLATE;
            default -> OTHER;
        };
    }

    public boolean isCoded() {
        return this != IDENTITY;
    }

    /** Whether it is coded, and can be decoded. */
    public boolean isUndoable() {
        return this == GZIP || this == DEFLATE;
    }
}
