package dev.quire.spring;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Which charsets ESI tags can be written in: those in which ASCII is what it is everywhere. */
final class Charsets {

    /** All that tags and stamps are made of. */
    private static final String ASCII =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_<>/:=\"$(){}";

    private static final Pattern PARAMETER =
            Pattern.compile(
                    "\\s*;\\s*charset\\s*=\\s*(?:\"([^\"]*)\"|([^\\s;,\"]*))",
                    Pattern.CASE_INSENSITIVE);

    private Charsets() {}

    /** The charset called {@code name} if tags cannot be found in it as bytes of ASCII, or null. */
    static @Nullable Charset strange(@Nullable String name) {
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
            // what Java does not know it has not written either
            return null;
        }
    }

    private static boolean isLikeAscii(Charset charset) {
        return charset.canEncode()
                && Arrays.equals(
                        ASCII.getBytes(charset), ASCII.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * {@code text} in {@code charset} as it stands inside a document, behind any mark of the byte
     * order; null if it cannot stand there.
     */
    static byte @Nullable [] encoded(String text, Charset charset) {
        if (!charset.canEncode() || !charset.newEncoder().canEncode(text)) {
            return null;
        }
        var twice = (text + text).getBytes(charset);
        return Arrays.copyOfRange(twice, text.getBytes(charset).length, twice.length);
    }

    /**
     * The media types of the field {@code accept} without strange charsets: what a document is
     * encoded in is for the application to say, not for whoever asks first.
     */
    static String withoutStrange(String accept) {
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
