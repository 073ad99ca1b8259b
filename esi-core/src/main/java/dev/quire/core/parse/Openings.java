package dev.quire.core.parse;

import dev.quire.core.parse.ParseOptions.Tags;
import org.jspecify.annotations.Nullable;

/** The openings of tags in one document, including its stamp if it has one. */
final class Openings {

    /** Null if tags need no stamp. */
    private final @Nullable String stamp;

    private final String startTag;
    private final String endTag;

    Openings(Tags tags) {
        stamp =
                switch (tags) {
                    case Tags.Unstamped ignored -> null;
                    case Tags.Stamped stamped -> stamped.stamp().text();
                };
        startTag = Opening.START_TAG.text() + mark();
        endTag = Opening.END_TAG.text() + mark();
    }

    /** Whether only tags with a stamp are markup. */
    boolean areStamped() {
        return stamp != null;
    }

    /**
     * Returns the text between {@code esi:} and an element's name, and after a reference's dollar.
     */
    String mark() {
        return stamp == null ? "" : stamp + ':';
    }

    String text(Opening opening) {
        return switch (opening) {
            case START_TAG -> startTag;
            case END_TAG -> endTag;
            case WRAPPER, CDATA -> opening.text();
        };
    }

    /** Whether {@code tag} ends with an opening that interrupts it; only two bytes can end one. */
    boolean interrupt(byte[] tag, int length, byte last) {
        return switch (last) {
            case ':' -> endIn(startTag, tag, length) || endIn(endTag, tag, length);
            case 'i' -> stamp == null && endIn(Opening.WRAPPER.text(), tag, length);
            default -> false;
        };
    }

    /** Returns the index of the next stamp in {@code text} from {@code from} on, or -1. */
    int stampIn(String text, int from) {
        return stamp == null ? -1 : text.indexOf(stamp, from);
    }

    /** Returns the index after the stamp at {@code at} and its colon. */
    int behindStamp(String text, int at) {
        int end = stamp == null ? at : at + stamp.length();
        return text.startsWith(":", end) ? end + 1 : end;
    }

    /** Returns {@code text} without any stamp. */
    String without(String text) {
        int at = stampIn(text, 0);
        if (at < 0) {
            return text;
        }
        var rest = new StringBuilder(text.length());
        int from = 0;
        while (at >= 0) {
            rest.append(text, from, at);
            from = behindStamp(text, at);
            at = stampIn(text, from);
        }
        return rest.append(text, from, text.length()).toString();
    }

    private static boolean endIn(String opening, byte[] tag, int length) {
        int from = length - opening.length();
        if (from < 0) {
            return false;
        }
        for (int i = 0; i < opening.length(); i++) {
            if (tag[from + i] != opening.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
