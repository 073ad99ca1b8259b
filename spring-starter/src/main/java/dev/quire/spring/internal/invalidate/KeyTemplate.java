package dev.quire.spring.internal.invalidate;

import dev.quire.spring.internal.policy.SpelTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A template of a tag or URL to invalidate, with expressions over a method's arguments and result.
 * Unlike the tag of a response it may give no key, or several.
 *
 * @param template can only read values and call their methods
 */
record KeyTemplate(SpelTemplate template) {

    /**
     * Parses a template.
     *
     * @param names the variable names that it may use
     * @throws IllegalArgumentException if it is malformed, uses another name, or its literal parts
     *     contain blanks or control characters
     */
    static KeyTemplate parse(String source, Set<String> names) {
        var template = SpelTemplate.parse(source, "'" + source + "'");
        if (source.isEmpty() || template.literals().chars().anyMatch(c -> c <= ' ' || c >= 0x7f)) {
            throw new IllegalArgumentException(
                    "'%s' is empty or contains a blank, control or non-ASCII character"
                            .formatted(source));
        }
        for (var name : template.variables()) {
            if (!names.contains(name)) {
                throw new IllegalArgumentException(
                        "'%s' uses #%s (expected one of %s; argument names need the compiler option -parameters)"
                                .formatted(source, name, names));
            }
        }
        return new KeyTemplate(template);
    }

    /** Returns the template as written in the annotation. */
    String source() {
        return template.source();
    }

    /**
     * Returns the keys for these values; none if the template gives null or an empty text.
     *
     * @throws RuntimeException if evaluation fails: called methods may throw anything
     */
    List<String> keys(Map<String, @Nullable Object> values) {
        var names = SpelTemplate.context(values);
        var value =
                template.isText()
                        ? template.expression().getValue(names, String.class)
                        : template.expression().getValue(names);
        var keys = new ArrayList<String>(1);
        add(value, keys);
        return keys;
    }

    /** Whether it uses the method's result. */
    boolean needsResult() {
        return template.variables().contains(InvalidationRule.RESULT);
    }

    private static void add(@Nullable Object value, List<String> keys) {
        switch (value) {
            case null -> {}
            case Iterable<?> several -> several.forEach(one -> add(one, keys));
            case Object[] several -> {
                for (var one : several) {
                    add(one, keys);
                }
            }
            default -> {
                var key = value.toString();
                if (!key.isEmpty()) {
                    keys.add(key);
                }
            }
        }
    }
}
