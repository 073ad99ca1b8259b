package dev.quire.core.expression;

import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** How text is written into the place where it stands, so that it cannot leave it. */
public enum Escape {
    /** Nothing asked for: of values that come from the request, angle brackets are escaped. */
    MARKUP(Escape::markup),
    /** {@code & < > " '} as character references. */
    HTML(Escape::html),
    /** As the inside of a JSON string (RFC 8259 §7). */
    JSON(Escape::json),
    /** As the inside of a JavaScript string, safe inside a script element too. */
    JS(Escape::script),
    /** Percent-encoded, but for what is unreserved (RFC 3986 §2.3). */
    URL(octet -> isUnreserved(octet) ? null : Replacements.percent(octet)),
    /** As it is. */
    NONE(octet -> null);

    /** What of the request stands in JSON or a script must not end a script element either. */
    private static final Replacements BRACKETS_IN_STRINGS =
            new Replacements(octet ->
                    switch (octet) {
                        case '<' -> "\\u003c";
                        case '>' -> "\\u003e";
                        default -> null;
                    });

    // A table that nothing changes once it is filled.
    @SuppressWarnings("ImmutableEnumChecker")
    private final Replacements replacements;

    Escape(IntFunction<@Nullable String> replacement) {
        replacements = new Replacements(replacement);
    }

    /** All of {@code text}, one char for each byte, in this notation. */
    public String applied(String text) {
        return replacements.applied(text);
    }

    /** All of {@code bytes} in this notation; the same array if nothing is replaced. */
    public byte[] applied(byte[] bytes) {
        return replacements.applied(bytes);
    }

    /**
     * A value in this notation.
     *
     * @param isMarkup whether its angle brackets are the author's
     */
    String written(String text, boolean isMarkup) {
        return switch (this) {
            case MARKUP -> isMarkup ? text : applied(text);
            case JSON -> isMarkup ? applied(text) : BRACKETS_IN_STRINGS.applied(applied(text));
            case HTML, JS, URL -> applied(text);
            case NONE -> text;
        };
    }

    static boolean isUnreserved(int octet) {
        return (octet >= '0' && octet <= '9')
                || (octet >= 'A' && octet <= 'Z')
                || (octet >= 'a' && octet <= 'z')
                || octet == '-'
                || octet == '.'
                || octet == '_'
                || octet == '~';
    }

    private static @Nullable String markup(int octet) {
        return switch (octet) {
            case '<' -> "&lt;";
            case '>' -> "&gt;";
            default -> null;
        };
    }

    private static @Nullable String html(int octet) {
        return switch (octet) {
            case '&' -> "&amp;";
            case '"' -> "&quot;";
            case '\'' -> "&#39;";
            default -> markup(octet);
        };
    }

    private static @Nullable String json(int octet) {
        return switch (octet) {
            case '"' -> "\\\"";
            case '\\' -> "\\\\";
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> octet < ' ' ? Replacements.hex("\\u00", octet) : null;
        };
    }

    /** Numbers for whatever could end a string, a template literal or the script element. */
    private static @Nullable String script(int octet) {
        return switch (octet) {
            case '\\' -> "\\\\";
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '"', '\'', '`', '$', '<', '>', '&', '/' -> Replacements.hex("\\x", octet);
            default -> octet < ' ' ? Replacements.hex("\\x", octet) : null;
        };
    }
}
