package dev.quire.spring.internal.policy;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;

/**
 * A template of a tag to purge by, with expressions over a handler's arguments.
 *
 * @param template can only read arguments and call their methods
 */
public record TagTemplate(SpelTemplate template) {

    /** Maximum number of characters of a tag. Quire ignores longer ones of responses. */
    public static final int MOST_CHARS = 256;

    /**
     * Parses a template.
     *
     * @param arguments the variable names that it may use
     * @throws IllegalArgumentException if it is malformed, uses another name, or can never be a
     *     valid tag
     */
    public static TagTemplate parse(String source, Set<String> arguments) {
        var template = SpelTemplate.parse(source, "tag '" + source + "'");
        if (source.isEmpty() || template.literals().chars().anyMatch(TagTemplate::isForbidden)) {
            throw new IllegalArgumentException(
                    "tag '%s' is empty or contains a blank, comma, control or non-ASCII character"
                            .formatted(source));
        }
        if (template.literals().length() > MOST_CHARS) {
            throw new IllegalArgumentException(
                    "tag '%s' is longer than %d characters".formatted(source, MOST_CHARS));
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
     * Returns a literal tag.
     *
     * @param tag a valid tag by {@link #isTag}
     */
    public static TagTemplate literal(String tag) {
        return new TagTemplate(SpelTemplate.literal(tag));
    }

    /** Whether {@code text} is a valid tag: blanks and commas separate tags. */
    public static boolean isTag(String text) {
        return !text.isEmpty()
                && text.length() <= MOST_CHARS
                && text.chars().noneMatch(TagTemplate::isForbidden);
    }

    /** Returns the template as written in the annotation. */
    public String source() {
        return template.source();
    }

    /** Returns the tag for these arguments, or null if it is not valid. */
    @Nullable
    public String tag(Map<String, @Nullable Object> arguments) {
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
    public boolean hasHoles() {
        return template.hasHoles();
    }

    /** Blanks and commas separate tags; a field cannot contain control or non-ASCII characters. */
    private static boolean isForbidden(int character) {
        return character <= ' ' || character == ',' || character >= 0x7f;
    }
}
