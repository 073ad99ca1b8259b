package dev.quire.core.expression;

import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** How text is escaped so that it cannot break out of its surroundings. */
public enum Escape {
    /** The default: escapes angle brackets in values from the request. */
    MARKUP(Escape::markup),
    /** {@code & < > " '} as character references. */
    HTML(Escape::html),
    /** As the inside of a JSON string (RFC 8259 §7). */
    JSON(Escape::json),
    /** As the inside of a JavaScript string, safe inside a script element too. */
    JS(Escape::script),
    /** Percent-encoded, except unreserved characters (RFC 3986 §2.3). */
    URL(octet -> isUnreserved(octet) ? null : Replacements.percent(octet)),
    /** Unchanged. */
    NONE(octet -> null);

    /** In JSON or scripts, values from the request must not end a script element either. */
    private static final Replacements BRACKETS_IN_STRINGS =
            new Replacements(octet ->
                    switch (octet) {
                        case '<' -> "\\u003c";
                        case '>' -> "\\u003e";
                        default -> null;
                    });

    // Never modified after construction.
    @SuppressWarnings("ImmutableEnumChecker")
    private final Replacements replacements;

    Escape(IntFunction<@Nullable String> replacement) {
        replacements = new Replacements(replacement);
    }

    /** Returns {@code text}, one char for each byte, escaped. */
    public String applied(String text) {
        return replacements.applied(text);
    }

    /** Returns {@code bytes} escaped; the same array if nothing is replaced. */
    public byte[] applied(byte[] bytes) {
        return replacements.applied(bytes);
    }

    /**
     * Returns a value escaped.
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

    /** Escapes everything that could end a string, a template literal or the script element. */
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
