package dev.quire.core.parse;

/** The byte sequences that may open markup. */
enum Opening {
    START_TAG("<esi:"),
    END_TAG("</esi:"),
    WRAPPER("<!--esi"),
    CDATA("<![CDATA[");

    /** The length of the prefix of {@link #WRAPPER} that alone opens an HTML comment. */
    static final int COMMENT_LENGTH = "<!--".length();

    private final String text;

    Opening(String text) {
        this.text = text;
    }

    /** Returns it as written in a document without a stamp. */
    String text() {
        return text;
    }
}
