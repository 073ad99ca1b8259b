package dev.quire.core.http;

/**
 * The UTF-8 byte order mark. It is only a mark at the start of a page; in a fragment it would
 * become a character inside the page, so fragments are written without it.
 */
public final class ByteOrderMark {
    /** Its bytes as one number, the first byte highest. */
    public static final int UTF_8 = 0xEFBBBF;

    /** Its length in bytes. */
    public static final int LENGTH = 3;

    private ByteOrderMark() {}

    public static boolean isAtStartOf(byte[] body) {
        return body.length >= LENGTH
                && ((body[0] & 0xff) << 16 | (body[1] & 0xff) << 8 | (body[2] & 0xff)) == UTF_8;
    }
}
