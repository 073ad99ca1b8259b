package dev.quire.core.rule;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A text with values of the request or response in braces, such as {@code https://{host}{target}}.
 * Immutable.
 */
public final class TextTemplate {

    /** One value in a template. */
    public interface Part {
        /**
         * Returns the value; empty if it is absent.
         *
         * @param groups of the rule's pattern; empty without one
         * @throws RuleError if it has no value for this request
         */
        String text(RuleValues values, List<@Nullable String> groups);

        Set<Input> inputs();

        default Set<String> variables() {
            return Set.of();
        }

        /** The names, in lower case, of the request fields that it reads. */
        default Set<String> headers() {
            return Set.of();
        }
    }

    private record Literal(String value) implements Part {
        @Override
        public String text(RuleValues values, List<@Nullable String> groups) {
            return value;
        }

        @Override
        public Set<Input> inputs() {
            return Set.of();
        }
    }

    /** The longest text, in chars. */
    static final int MAX_LENGTH = 65_536;

    private final String source;
    private final List<Part> parts;

    /**
     * @param source as written; templates with the same source are equal
     */
    public TextTemplate(String source, List<Part> parts) {
        this.source = source;
        this.parts = List.copyOf(parts);
    }

    /** Returns the part that is always {@code text}. */
    public static Part literal(String text) {
        return new Literal(text);
    }

    /**
     * Returns the text for {@code values}.
     *
     * @throws RuleError if a part has no value, or the text is longer than 64 KiB or contains a
     *     control character
     */
    public String text(RuleValues values, List<@Nullable String> groups) {
        String text;
        if (parts.size() == 1) {
            text = parts.getFirst().text(values, groups);
        } else {
            var joined = new StringBuilder();
            for (int i = 0; i < parts.size(); i++) {
                joined.append(parts.get(i).text(values, groups));
                if (joined.length() > MAX_LENGTH) {
                    break;
                }
            }
            text = joined.toString();
        }
        if (text.length() > MAX_LENGTH) {
            throw new RuleError("a value is longer than " + MAX_LENGTH + " characters");
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < ' ' && c != '\t') || c == 0x7f) {
                throw new RuleError("a value contains a control character");
            }
        }
        return text;
    }

    /** Returns the text, if it is the same for every request. */
    public Optional<String> constant() {
        var text = new StringBuilder();
        for (var part : parts) {
            if (!(part instanceof Literal(var value))) {
                return Optional.empty();
            }
            text.append(value);
        }
        return Optional.of(text.toString());
    }

    /** Returns the texts between the values, in order. */
    public List<String> literals() {
        return parts.stream()
                .filter(Literal.class::isInstance)
                .map(part -> ((Literal) part).value())
                .toList();
    }

    /** Whether it has an expression, which may have no value for a request. */
    boolean mayFail() {
        return parts.stream()
                .anyMatch(part -> !(part instanceof Literal || part instanceof RuleValue));
    }

    /** The values that it reads. */
    public Set<Input> inputs() {
        var inputs = EnumSet.noneOf(Input.class);
        parts.forEach(part -> inputs.addAll(part.inputs()));
        return inputs;
    }

    /** The names of the variables that it reads. */
    public Set<String> variables() {
        var names = new HashSet<String>();
        parts.forEach(part -> names.addAll(part.variables()));
        return names;
    }

    /** The names, in lower case, of the request fields that it reads. */
    public Set<String> headers() {
        var names = new HashSet<String>();
        parts.forEach(part -> names.addAll(part.headers()));
        return names;
    }

    /** The parts, in order. */
    public List<Part> parts() {
        return parts;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TextTemplate that && source.equals(that.source);
    }

    @Override
    public int hashCode() {
        return source.hashCode();
    }

    /** The template as written. */
    @Override
    public String toString() {
        return source;
    }
}
