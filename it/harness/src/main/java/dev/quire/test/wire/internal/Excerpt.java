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

    /** The part of {@code text} near {@code at}, as an excerpt. */
    public static String near(String text, int at, int before, int behind) {
        return of(slice(text, at, before, behind));
    }

    /** The characters of {@code text} from {@code before} ahead of {@code at}. */
    public static String slice(String text, int at, int before, int behind) {
        return text.substring(Math.max(0, at - before), Math.min(text.length(), at + behind));
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
