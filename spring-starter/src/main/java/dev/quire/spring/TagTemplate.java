package dev.quire.spring;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;

/**
 * A tag to purge by, with holes for a handler's arguments.
 *
 * @param template it reads arguments and calls their methods, nothing else
 */
public record TagTemplate(SpelTemplate template) {

    /**
     * Reads a template.
     *
     * @param arguments the names a template may use
     * @throws IllegalArgumentException if it is no template, uses another name, or could never be a
     *     tag
     */
    static TagTemplate parse(String source, Set<String> arguments) {
        var template = SpelTemplate.parse(source, "tag '" + source + "'");
        if (source.isEmpty() || template.literals().chars().anyMatch(TagTemplate::isForbidden)) {
            throw new IllegalArgumentException(
                    "tag '%s' is empty or contains a blank, comma, control or non-ASCII character"
                            .formatted(source));
        }
        for (var name : template.variables()) {
            if (!arguments.contains(name)) {
                throw new IllegalArgumentException(
                        "tag '%s' uses #%s, but the handler's arguments are %s%s"
                                .formatted(
                                        source,
                                        name,
                                        arguments,
                                        arguments.isEmpty()
                                                ? " (argument names need the compiler option -parameters)"
                                                : ""));
            }
        }
        return new TagTemplate(template);
    }

    /**
     * A tag as it is.
     *
     * @param tag one that {@link #isTag}
     */
    static TagTemplate literal(String tag) {
        return new TagTemplate(SpelTemplate.literal(tag));
    }

    /** Whether {@code text} can be a tag. */
    static boolean isTag(String text) {
        return !text.isEmpty() && text.chars().noneMatch(TagTemplate::isForbidden);
    }

    /** As written in the annotation. */
    public String source() {
        return template.source();
    }

    /** The tag for these arguments, or null when they make none. */
    @Nullable String tag(Map<String, @Nullable Object> arguments) {
        if (!hasHoles()) {
            return source();
        }
        String tag;
        try {
            tag = template.expression().getValue(SpelTemplate.context(arguments), String.class);
        } catch (EvaluationException failed) {
            return null;
        }
        return tag == null || !isTag(tag) ? null : tag;
    }

    /** Whether the tag depends on arguments. */
    boolean hasHoles() {
        return template.hasHoles();
    }

    /** Tags are separated by blanks and commas; a field takes no control or wide characters. */
    private static boolean isForbidden(int character) {
        return character <= ' ' || character == ',' || character >= 0x7f;
    }
}
