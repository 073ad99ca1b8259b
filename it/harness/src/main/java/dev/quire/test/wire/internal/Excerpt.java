package dev.quire.test.wire.internal;

/** Text from the wire as a failure message shows it: on one line, quoted, cut when long. */
public final class Excerpt {
    private static final int LONGEST = 400;

    private Excerpt() {}

    public static String of(String text) {
        var shown = new StringBuilder("\"");
        text.chars().limit(LONGEST).forEach(c -> append(shown, (char) c));
        shown.append('"');
        if (text.length() > LONGEST) {
            shown.append(" and ").append(text.length() - LONGEST).append(" more");
        }
        return shown.toString();
    }

    private static void append(StringBuilder shown, char c) {
        switch (c) {
            case '\r' -> shown.append("\\r");
            case '\n' -> shown.append("\\n");
            case '\t' -> shown.append("\\t");
            case '"' -> shown.append("\\\"");
            default -> {
                if (c < ' ' || c == 0x7f) {
                    shown.append("\\u%04x".formatted((int) c));
                } else {
                    shown.append(c);
                }
            }
        }
    }
}
