package dev.quire.proxy.config;

import dev.quire.core.http.DurationText;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The form of one kind of value, for the reference and the JSON schema. Every text that its {@link
 * ValueParser} accepts matches the schema; a text that it rejects may match too.
 *
 * @param type in one or two words
 * @param range the permitted values, or what the text must be; empty if the type states it
 * @param schema keywords of JSON schema, draft 2020-12
 */
record ValueForm(String type, String range, Map<String, Object> schema) {
    private static final String TYPE = "type";

    static final ValueForm TRUTH = new ValueForm("boolean", "", Map.of(TYPE, "boolean"));

    static final ValueForm PERCENTAGE = matching("percentage", "0% to 100%", "[0-9]{1,9}%");

    ValueForm {
        schema = Map.copyOf(schema);
    }

    /** Any text; YAML reads some of it as a number or {@code true}. */
    static ValueForm text(String range) {
        return text("text", range);
    }

    /** Like {@link #text(String)}, of a kind that has a name. */
    static ValueForm text(String type, String range) {
        return new ValueForm(type, range, Map.of(TYPE, List.of("string", "number", "boolean")));
    }

    static ValueForm oneOf(List<String> values) {
        return new ValueForm("choice", String.join(" | ", values), Map.of("enum", values));
    }

    static ValueForm number(int least, int most) {
        return new ValueForm(
                "number",
                least + " to " + most,
                Map.of(TYPE, "integer", "minimum", least, "maximum", most));
    }

    static ValueForm duration(Duration least, Duration most) {
        var positive = least.isZero() ? "" : "(?!0+[a-z])";
        return matching(
                "duration",
                DurationText.of(least) + " to " + DurationText.of(most),
                positive + "[0-9]{1,10}(ms|s|m|h|d)");
    }

    static ValueForm size(String range) {
        return matching("size", range, "[0-9]{1,10}(B|KiB|MiB|GiB)");
    }

    static ValueForm byteRate(String range) {
        return matching("rate", range, "[0-9]{1,10}(B|KiB|MiB|GiB)/s");
    }

    /** Like this, or 0. */
    ValueForm orZero(String orRange) {
        return new ValueForm(type, orRange, Map.of("anyOf", List.of(Map.of("const", 0), schema)));
    }

    /** A text that matches {@code pattern} (ECMA-262) from its beginning to its end. */
    static ValueForm matching(String type, String range, String pattern) {
        return new ValueForm(type, range, string(pattern));
    }

    /** Like {@link #matching}, if a number or {@code true} is such a text. */
    static ValueForm scalar(String type, String range, String pattern) {
        return new ValueForm(
                type,
                range,
                Map.of(
                        "anyOf",
                        List.of(string(pattern), Map.of(TYPE, List.of("number", "boolean")))));
    }

    private static Map<String, Object> string(String pattern) {
        return Map.of(TYPE, "string", "pattern", "^(?:" + pattern + ")$");
    }
}
