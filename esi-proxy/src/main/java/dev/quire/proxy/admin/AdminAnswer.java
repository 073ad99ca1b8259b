package dev.quire.proxy.admin;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A response of the admin API.
 *
 * @param fields in addition to those every response has
 */
record AdminAnswer(int status, String contentType, String body, Map<String, String> fields) {

    private static final JsonMapper JSON =
            JsonMapper.builder().enable(DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS).build();

    private static final String TEXT = "text/plain; charset=utf-8";

    static AdminAnswer text(int status, String line) {
        return text(status, line, Map.of());
    }

    static AdminAnswer text(int status, String line, Map<String, String> fields) {
        return new AdminAnswer(status, TEXT, printable(line) + "\n", fields);
    }

    /** Each of {@code lines} is printable. */
    static AdminAnswer lines(int status, List<String> lines) {
        return new AdminAnswer(
                status,
                TEXT,
                lines.stream().map(line -> printable(line) + "\n").collect(Collectors.joining()),
                Map.of());
    }

    static AdminAnswer json(Object value) {
        return of("application/json", JSON.writeValueAsString(value));
    }

    /** Answers {@code value}, an object, with more members. */
    static AdminAnswer extended(int status, Object value, Map<String, Object> members) {
        ObjectNode object = JSON.valueToTree(value);
        members.forEach(object::putPOJO);
        return new AdminAnswer(
                status, "application/json", JSON.writeValueAsString(object), Map.of());
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
