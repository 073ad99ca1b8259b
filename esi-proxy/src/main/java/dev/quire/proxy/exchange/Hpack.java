package dev.quire.proxy.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Response heads in HPACK (RFC 7541), as literals without indexing. The bytes depend on no dynamic
 * table: they are the same for all connections and can be kept.
 */
public final class Hpack {
    /**
     * Sets the size of the dynamic table to 0 (RFC 7541 §6.3). The first block of a connection
     * begins with it: whatever size the client allows, none is used.
     */
    public static final int NO_TABLE = 0x20;

    private static final int INDEXED = 0x80;
    private static final int LITERAL = 0x00;
    private static final int NEVER_INDEXED = 0x10;
    private static final int LITERAL_PREFIX = 0x0f;
    private static final int LENGTH_PREFIX = 0x7f;
    private static final int STATUS_INDEX = 8;
    private static final int MAX_NAME = 32;

    /** A name of the static table (RFC 7541 appendix A). */
    private record Name(AsciiString text, int index) {}

    /** The names of responses in the static table, by their lengths. */
    private static final Name[][] NAMES = names();

    private Hpack() {}

    private static Name[][] names() {
        var byLength = new ArrayList<List<Name>>();
        for (int i = 0; i <= MAX_NAME; i++) {
            byLength.add(new ArrayList<>());
        }
        var all =
                List.of(
                        new Name(new AsciiString("accept-ranges"), 18),
                        new Name(new AsciiString("access-control-allow-origin"), 20),
                        new Name(new AsciiString("age"), 21),
                        new Name(new AsciiString("allow"), 22),
                        new Name(new AsciiString("cache-control"), 24),
                        new Name(new AsciiString("content-disposition"), 25),
                        new Name(new AsciiString("content-encoding"), 26),
                        new Name(new AsciiString("content-language"), 27),
                        new Name(new AsciiString("content-length"), 28),
                        new Name(new AsciiString("content-location"), 29),
                        new Name(new AsciiString("content-range"), 30),
                        new Name(new AsciiString("content-type"), 31),
                        new Name(new AsciiString("date"), 33),
                        new Name(new AsciiString("etag"), 34),
                        new Name(new AsciiString("expires"), 36),
                        new Name(new AsciiString("last-modified"), 44),
                        new Name(new AsciiString("link"), 45),
                        new Name(new AsciiString("location"), 46),
                        new Name(new AsciiString("proxy-authenticate"), 48),
                        new Name(new AsciiString("refresh"), 52),
                        new Name(new AsciiString("retry-after"), 53),
                        new Name(new AsciiString("server"), 54),
                        new Name(new AsciiString("set-cookie"), 55),
                        new Name(new AsciiString("strict-transport-security"), 56),
                        new Name(new AsciiString("vary"), 59),
                        new Name(new AsciiString("via"), 60),
                        new Name(new AsciiString("www-authenticate"), 61));
        for (var name : all) {
            byLength.get(name.text().length()).add(name);
        }
        return byLength.stream().map(each -> each.toArray(Name[]::new)).toArray(Name[][]::new);
    }

    /** Writes {@code :status}. */
    public static void status(ByteBuf out, int code) {
        int index =
                switch (code) {
                    case 200 -> 8;
                    case 204 -> 9;
                    case 206 -> 10;
                    case 304 -> 11;
                    case 400 -> 12;
                    case 404 -> 13;
                    case 500 -> 14;
                    default -> 0;
                };
        if (index > 0) {
            out.writeByte(INDEXED | index);
            return;
        }
        out.writeByte(LITERAL | STATUS_INDEX);
        out.writeByte(Http1Text.length(code));
        Http1Text.number(out, code);
    }

    /**
     * Writes one line with its name in lower case, unless it belongs to a connection of HTTP/1.1
     * (RFC 9113 §8.2.2).
     *
     * @param value in ISO 8859-1
     */
    public static void line(ByteBuf out, CharSequence name, CharSequence value) {
        if (isOfConnection(name)) {
            return;
        }
        name(out, name);
        integer(out, 0, LENGTH_PREFIX, value.length());
        out.writeCharSequence(value, StandardCharsets.ISO_8859_1);
    }

    /** Like {@link #line(ByteBuf, CharSequence, CharSequence)}; the value ends in a number. */
    public static void line(ByteBuf out, CharSequence name, CharSequence value, long number) {
        name(out, name);
        integer(out, 0, LENGTH_PREFIX, value.length() + Http1Text.length(number));
        ByteBufUtil.writeAscii(out, value);
        Http1Text.number(out, number);
    }

    private static boolean isOfConnection(CharSequence name) {
        return switch (name.length()) {
            case 7 -> AsciiString.contentEqualsIgnoreCase(name, "upgrade");
            case 10 ->
                    AsciiString.contentEqualsIgnoreCase(name, "connection")
                            || AsciiString.contentEqualsIgnoreCase(name, "keep-alive");
            case 16 -> AsciiString.contentEqualsIgnoreCase(name, "proxy-connection");
            case 17 -> AsciiString.contentEqualsIgnoreCase(name, "transfer-encoding");
            default -> false;
        };
    }

    private static void name(ByteBuf out, CharSequence name) {
        int length = name.length();
        if (length <= MAX_NAME) {
            for (var known : NAMES[length]) {
                if (AsciiString.contentEqualsIgnoreCase(known.text(), name)) {
                    integer(out, indexing(known.index()), LITERAL_PREFIX, known.index());
                    return;
                }
            }
        }
        out.writeByte(LITERAL);
        integer(out, 0, LENGTH_PREFIX, length);
        for (int i = 0; i < length; i++) {
            out.writeByte(AsciiString.toLowerCase(name.charAt(i)));
        }
    }

    /** No proxy behind us may keep cookies and challenges in a table (RFC 7541 §7.1.3). */
    private static int indexing(int index) {
        return switch (index) {
            case 48, 55, 61 -> NEVER_INDEXED;
            default -> LITERAL;
        };
    }

    /** Writes {@code value} behind the bits of {@code first} (RFC 7541 §5.1). */
    private static void integer(ByteBuf out, int first, int prefix, int value) {
        if (value < prefix) {
            out.writeByte(first | value);
            return;
        }
        out.writeByte(first | prefix);
        int rest = value - prefix;
        while (rest >= 0x80) {
            out.writeByte((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.writeByte(rest);
    }
}
