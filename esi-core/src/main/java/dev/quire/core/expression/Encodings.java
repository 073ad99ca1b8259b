package dev.quire.core.expression;

import dev.quire.core.expression.Value.Int;
import dev.quire.core.expression.Value.Null;
import dev.quire.core.expression.Value.Text;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The built-in functions that write strings in other notations, and read them from there. */
final class Encodings {

    private static final Replacements HTML =
            new Replacements(octet ->
                    switch (octet) {
                        case '<' -> "&lt;";
                        case '>' -> "&gt;";
                        case '&' -> "&amp;";
                        case '"' -> "&quot;";
                        default -> null;
                    });

    /** Enough for any character by number. */
    private static final int LONGEST_REFERENCE = 12;

    private Encodings() {}

    static String htmlEncoded(String text) {
        return HTML.applied(text);
    }

    /** The five references of XML, and characters by number, which become UTF-8. */
    static String htmlDecoded(String text) {
        int from = text.indexOf('&');
        if (from < 0) {
            return text;
        }
        var decoded = new StringBuilder(text.length());
        int done = 0;
        while (from >= 0) {
            int last = Math.min(text.length(), from + LONGEST_REFERENCE);
            int end = text.indexOf(';', from, last);
            var character = end < 0 ? null : character(text.substring(from + 1, end));
            if (character != null) {
                decoded.append(text, done, from).append(character);
                done = end + 1;
            }
            from = text.indexOf('&', Math.max(done, from + 1));
        }
        return decoded.append(text, done, text.length()).toString();
    }

    private static @Nullable String character(String name) {
        return switch (name) {
            case "amp" -> "&";
            case "lt" -> "<";
            case "gt" -> ">";
            case "quot" -> "\"";
            case "apos" -> "'";
            default -> name.startsWith("#") ? byNumber(name.substring(1)) : null;
        };
    }

    private static @Nullable String byNumber(String number) {
        boolean isHex = number.startsWith("x") || number.startsWith("X");
        int codePoint;
        try {
            codePoint =
                    isHex
                            ? Integer.parseUnsignedInt(number, 1, number.length(), 16)
                            : Integer.parseUnsignedInt(number);
        } catch (NumberFormatException e) {
            return null;
        }
        boolean isCharacter =
                codePoint != 0
                        && Character.isValidCodePoint(codePoint)
                        && Character.getType(codePoint) != Character.SURROGATE;
        return isCharacter
                ? string(Character.toString(codePoint).getBytes(StandardCharsets.UTF_8))
                : null;
    }

    static String base64Encoded(String text) {
        return string(Base64.getEncoder().encode(bytes(text)));
    }

    static Value base64Decoded(Arguments call) {
        try {
            return call.decoded(text -> string(Base64.getDecoder().decode(bytes(text))));
        } catch (IllegalArgumentException e) {
            return call.problem("argument 1 is no Base64");
        }
    }

    static String md5Hex(String text) {
        return HexFormat.of().formatHex(digest(text));
    }

    /** The digest as four integers of 32 bits, the lowest byte first. */
    static Value md5(Arguments call) {
        if (call.isMissing(0)) {
            return Null.NULL;
        }
        var text = call.text(0);
        if (!call.evaluation().mayRead(text.text().length()) || !call.evaluation().mayList(4)) {
            return Null.NULL;
        }
        var digest = ByteBuffer.wrap(digest(text.text())).order(ByteOrder.LITTLE_ENDIAN);
        var integers = new ArrayList<Value>(4);
        while (digest.hasRemaining()) {
            integers.add(new Int(digest.getInt(), text.source()));
        }
        return new Value.Items(integers);
    }

    /** Four bytes, the lowest first. */
    static Value binary(Arguments call) {
        var integer = call.integer(0);
        if (integer.isEmpty()) {
            return Null.NULL;
        }
        var bytes = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN);
        return new Text(string(bytes.putInt((int) integer.getAsLong()).array()), call.source());
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("MD5").digest(bytes(text));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has MD5", e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String string(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
