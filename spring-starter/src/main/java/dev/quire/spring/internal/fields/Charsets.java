package dev.quire.spring.internal.fields;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Detects charsets in which ESI tags cannot be written: those that do not encode ASCII as ASCII
 * bytes.
 */
public final class Charsets {

    /** All characters that tags and stamps use. */
    private static final String ASCII =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_<>/:=\"$(){}";

    private static final Pattern PARAMETER =
            Pattern.compile(
                    "\\s*;\\s*charset\\s*=\\s*(?:\"([^\"]*)\"|([^\\s;,\"]*))",
                    Pattern.CASE_INSENSITIVE);

    private Charsets() {}

    /** Returns the charset {@code name} if tags cannot be found in it as ASCII bytes, or null. */
    public static @Nullable Charset strange(@Nullable String name) {
        if (name == null
                || name.equalsIgnoreCase("UTF-8")
                || name.equalsIgnoreCase("ISO-8859-1")
                || name.equalsIgnoreCase("US-ASCII")) {
            return null;
        }
        try {
            var charset = Charset.forName(name);
            return isLikeAscii(charset) ? null : charset;
        } catch (IllegalArgumentException unknown) {
            // Java cannot have written a charset that it does not know
            return null;
        }
    }

    private static boolean isLikeAscii(Charset charset) {
        return charset.canEncode()
                && Arrays.equals(
                        ASCII.getBytes(charset), ASCII.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Returns {@code text} in {@code charset}, without a byte order mark; null if it cannot be
     * encoded.
     */
    public static byte @Nullable [] encoded(String text, Charset charset) {
        if (!charset.canEncode() || !charset.newEncoder().canEncode(text)) {
            return null;
        }
        var twice = (text + text).getBytes(charset);
        return Arrays.copyOfRange(twice, text.getBytes(charset).length, twice.length);
    }

    /**
     * Returns the field value {@code accept} without charsets of this kind: the application chooses
     * the charset of a document, not the first client.
     */
    public static String withoutStrange(String accept) {
        if (accept.indexOf(';') < 0) {
            return accept;
        }
        return PARAMETER
                .matcher(accept)
                .replaceAll(found -> {
                    var name = found.group(1) == null ? found.group(2) : found.group(1);
                    return strange(name) == null ? Matcher.quoteReplacement(found.group()) : "";
                });
    }
}
