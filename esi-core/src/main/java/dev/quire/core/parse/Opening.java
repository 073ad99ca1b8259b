package dev.quire.core.parse;

/** What the bytes behind a {@code <} may open, besides text. */
enum Opening {
    START_TAG("<esi:"),
    END_TAG("</esi:"),
    WRAPPER("<!--esi"),
    CDATA("<![CDATA[");

    /** How much of {@link #WRAPPER} makes an HTML comment when the rest does not follow. */
    static final int COMMENT_LENGTH = "<!--".length();

    private final String text;

    Opening(String text) {
        this.text = text;
    }

    int length() {
        return text.length();
    }

    byte at(int index) {
        return (byte) text.charAt(index);
    }

    /** Whether the first {@code length} bytes of {@code held} end in it. */
    boolean endsIn(byte[] held, int length) {
        int from = length - length();
        if (from < 0) {
            return false;
        }
        for (int i = 0; i < length(); i++) {
            if (held[from + i] != at(i)) {
                return false;
            }
        }
        return true;
    }
}
