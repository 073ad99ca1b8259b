package dev.quire.core.http;

import java.util.Locale;

/** The content coding of a message (RFC 9110 §8.4.1), as far as it is known. */
public enum ContentCoding {
    /** Not coded. */
    IDENTITY(""),
    GZIP("gzip"),
    /** As RFC 1950, or raw as RFC 1951. */
    DEFLATE("deflate"),
    /** RFC 7932. */
    BROTLI("br"),
    /** RFC 8878. It is passed on, and cannot be decoded. */
    ZSTD("zstd"),
    /** An unknown coding, or several. */
    OTHER("");

    private final String token;

    ContentCoding(String token) {
        this.token = token;
    }

    public static ContentCoding of(Fields fields) {
        var named = named(fields);
        return switch (named) {
            case "", "identity" -> IDENTITY;
            case "gzip", "x-gzip" -> GZIP;
            case "deflate" -> DEFLATE;
            case "br" -> BROTLI;
            case "zstd" -> ZSTD;
            default -> OTHER;
        };
    }

    /** Returns the value of Content-Encoding in lower case; empty if it is absent. */
    public static String named(Fields fields) {
        return fields.contains("content-encoding")
                ? String.join(",", fields.all("content-encoding")).strip().toLowerCase(Locale.ROOT)
                : "";
    }

    /** Its name in Content-Encoding and Accept-Encoding; empty for none and for unknown ones. */
    String token() {
        return token;
    }

    public boolean isCoded() {
        return this != IDENTITY;
    }

    /** Whether it is coded, and can be decoded. */
    public boolean isUndoable() {
        return this == GZIP || this == DEFLATE || this == BROTLI;
    }
}
