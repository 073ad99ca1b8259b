package dev.quire.proxy.admin;

import java.util.Map;

/**
 * A response of the admin API.
 *
 * @param fields in addition to those every response has
 */
record AdminAnswer(int status, String contentType, String body, Map<String, String> fields) {

    private static final String TEXT = "text/plain; charset=utf-8";

    static AdminAnswer text(int status, String line) {
        return text(status, line, Map.of());
    }

    static AdminAnswer text(int status, String line, Map<String, String> fields) {
        return new AdminAnswer(status, TEXT, printable(line) + "\n", fields);
    }

    static AdminAnswer of(String contentType, String body) {
        return new AdminAnswer(200, contentType, body, Map.of());
    }

    /** Removes control characters: messages repeat request content and are shown in terminals. */
    private static String printable(String line) {
        var printable = new StringBuilder(line.length());
        line.codePoints()
                .forEach(c -> printable.appendCodePoint(Character.isISOControl(c) ? '?' : c));
        return printable.toString();
    }
}
