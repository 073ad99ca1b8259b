package dev.quire.spring.invalidate;

import dev.quire.spring.SpelTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A tag or URL to invalidate, with holes for a method's arguments and result. Unlike the tag of a
 * response it may name nothing, or several.
 *
 * @param template it reads values and calls their methods, nothing else
 */
record KeyTemplate(SpelTemplate template) {

    /**
     * Reads a template.
     *
     * @param names what it may use
     * @throws IllegalArgumentException if it is no template, uses another name, or has blanks or
     *     control characters in its fixed parts
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

    /** As written in the annotation. */
    String source() {
        return template.source();
    }

    /**
     * The keys for these values; none where the template says null or nothing.
     *
     * @throws RuntimeException if it cannot be evaluated: what it calls may throw anything
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

    /** Whether it depends on what the method returns. */
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
