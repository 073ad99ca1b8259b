package dev.quire.core.http;

/**
 * The byte order mark in UTF-8. At the start of a page it is a mark; a fragment's would be a
 * character in the middle of the page, so a fragment is written without.
 */
public final class ByteOrderMark {
    /** Its bytes as one number, the first byte highest. */
    public static final int UTF_8 = 0xEFBBBF;

    /** How many bytes it has. */
    public static final int LENGTH = 3;

    private ByteOrderMark() {}

    /** Whether {@code body} starts with it. */
    public static boolean isAtStartOf(byte[] body) {
        return body.length >= LENGTH
                && ((body[0] & 0xff) << 16 | (body[1] & 0xff) << 8 | (body[2] & 0xff)) == UTF_8;
    }
}
