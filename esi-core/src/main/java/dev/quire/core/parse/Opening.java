package dev.quire.core.parse;

import java.nio.charset.StandardCharsets;

/** What the bytes behind a {@code <} may open, besides text. */
enum Opening {
    START_TAG("<esi:"),
    END_TAG("</esi:"),
    WRAPPER("<!--esi"),
    CDATA("<![CDATA[");

    /** How much of {@link #WRAPPER} makes an HTML comment when the rest does not follow. */
    static final int COMMENT_LENGTH = "<!--".length();

    private final byte[] bytes;

    Opening(String text) {
        this.bytes = text.getBytes(StandardCharsets.US_ASCII);
    }

    int length() {
        return bytes.length;
    }

    byte at(int index) {
        return bytes[index];
    }

    /** Whether the first {@code length} of {@code held} end in these bytes. */
    boolean endsIn(byte[] held, int length) {
        int from = length - bytes.length;
        if (from < 0) {
            return false;
        }
        for (int i = 0; i < bytes.length; i++) {
            if (held[from + i] != bytes[i]) {
                return false;
            }
        }
        return true;
    }
}
