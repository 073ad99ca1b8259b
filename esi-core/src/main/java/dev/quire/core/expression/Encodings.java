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

/** The built-in functions that encode and decode strings. */
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

    private Encodings() {}

    static String htmlEncoded(String text) {
        return HTML.applied(text);
    }

    static String base64Encoded(String text) {
        return string(Base64.getEncoder().encode(bytes(text)));
    }

    static Value base64Decoded(Arguments call) {
        try {
            return call.decoded(text -> string(Base64.getDecoder().decode(bytes(text))));
        } catch (IllegalArgumentException e) {
            return call.problem("argument 1 is not valid Base64");
        }
    }

    static String md5Hex(String text) {
        return HexFormat.of().formatHex(digest(text));
    }

    /** Returns the digest as four 32-bit integers, little-endian. */
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

    /** Returns an integer as four bytes, little-endian. */
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
            throw new IllegalStateException("missing algorithm MD5", e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String string(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
