package dev.quire.proxy.config;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * One problem of a configuration.
 *
 * @param place position in the file; absent for the command line
 * @param key path of the key, such as {@code origins.news.urls[0]}, or the option; empty for the
 *     whole file
 * @param what the problem, as a predicate; userinfo in URLs is masked
 * @param expected the valid value
 */
public record Problem(Optional<Place> place, String key, String what, String expected) {
    private static final Pattern USERINFO = Pattern.compile("(://)[^/?#\\s]*@");

    public Problem {
        what = withoutUserinfo(what);
    }

    /** Masks userinfo in URLs. */
    static String withoutUserinfo(String text) {
        return USERINFO.matcher(text).replaceAll("$1***@");
    }

    /** A position in a file; line and column count from 1. */
    public record Place(String file, int line, int column) {
        @Override
        public String toString() {
            return file + ":" + line + ":" + column;
        }
    }

    /** Formats as {@code file:line:column: key: problem (expected value)} on one line. */
    @Override
    public String toString() {
        var line = new StringBuilder();
        place.ifPresent(known -> line.append(known).append(": "));
        if (!key.isEmpty()) {
            line.append(key).append(": ");
        }
        line.append(what).append(" (expected ").append(expected).append(')');
        return printable(line);
    }

    /**
     * Escapes control characters: keys and values are copied from the file and must not control the
     * terminal or end the line.
     */
    private static String printable(CharSequence text) {
        var line = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
                line.append(String.format("\\u%04x", (int) c));
            } else {
                line.append(c);
            }
        }
        return line.toString();
    }
}
