package dev.quire.proxy.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;

/** Response heads as HTTP/1.1 text (RFC 9112 §4, §5). */
public final class Http1Text {
    private static final int CR_LF = '\r' << Byte.SIZE | '\n';
    private static final int COLON = ':' << Byte.SIZE | ' ';

    private Http1Text() {}

    /**
     * Writes the status line (RFC 9112 §4).
     *
     * @param reason may be empty
     */
    public static void status(ByteBuf out, int code, String reason) {
        ByteBufUtil.writeAscii(out, "HTTP/1.1 ");
        number(out, code);
        out.writeByte(' ');
        out.writeCharSequence(reason, StandardCharsets.ISO_8859_1);
        end(out);
    }

    public static void line(ByteBuf out, CharSequence name, String value) {
        ByteBufUtil.writeAscii(out, name);
        out.writeShort(COLON);
        out.writeCharSequence(value, StandardCharsets.ISO_8859_1);
        end(out);
    }

    public static void line(ByteBuf out, CharSequence name, CharSequence value, long number) {
        ByteBufUtil.writeAscii(out, name);
        out.writeShort(COLON);
        ByteBufUtil.writeAscii(out, value);
        number(out, number);
        end(out);
    }

    public static void end(ByteBuf out) {
        out.writeShort(CR_LF);
    }

    /** The length of {@code value} in decimal, with its sign. */
    static int length(long value) {
        return digits(value) + (value < 0 ? 1 : 0);
    }

    private static int digits(long value) {
        int digits = 1;
        for (long rest = value / 10; rest != 0; rest /= 10) {
            digits++;
        }
        return digits;
    }

    static void number(ByteBuf out, long value) {
        if (value < 0) {
            out.writeByte('-');
        }
        int digits = digits(value);
        int start = out.writerIndex();
        out.writeZero(digits);
        long rest = value;
        for (int at = start + digits - 1; at >= start; at--) {
            out.setByte(at, '0' + (int) Math.abs(rest % 10));
            rest /= 10;
        }
    }
}
