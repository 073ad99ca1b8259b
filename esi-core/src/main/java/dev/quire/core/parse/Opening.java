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

    /** As it is in a document without a stamp. */
    String text() {
        return text;
    }
}
