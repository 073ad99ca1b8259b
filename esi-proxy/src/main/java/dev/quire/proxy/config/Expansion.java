package dev.quire.proxy.config;

import dev.quire.core.text.Literal;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Replaces {@code ${NAME}} and {@code ${NAME:default}} by environment variables. Works on values
 * after the file is parsed, so a variable cannot add keys. Inserted text is not expanded again.
 */
final class Expansion {
    private final UnaryOperator<@Nullable String> environment;

    /**
     * @param environment returns the value of a variable, or null if it is not set
     */
    Expansion(UnaryOperator<@Nullable String> environment) {
        this.environment = environment;
    }

    /** The expanded value, or the reason why it cannot be expanded. */
    sealed interface Expanded {}

    record Text(String text) implements Expanded {}

    record Unset(String variable) implements Expanded {}

    record Malformed(String what) implements Expanded {}

    Expanded expand(String text) {
        var expanded = new StringBuilder();
        int from = 0;
        for (int open = text.indexOf("${"); open >= 0; open = text.indexOf("${", from)) {
            expanded.append(text, from, open);
            int close = text.indexOf('}', open);
            if (close < 0) {
                return new Malformed("'" + text.substring(open) + "' has no closing brace");
            }
            var reference = text.substring(open + 2, close);
            int colon = reference.indexOf(':');
            var name = colon < 0 ? reference : reference.substring(0, colon);
            if (!isName(name)) {
                return new Malformed("'" + name + "' is not a valid variable name");
            }
            var value = environment.apply(name);
            if (value != null) {
                expanded.append(value);
            } else if (colon >= 0) {
                expanded.append(reference, colon + 1, reference.length());
            } else {
                return new Unset(name);
            }
            from = close + 1;
        }
        return new Text(expanded.append(text, from, text.length()).toString());
    }

    private static boolean isName(String name) {
        return !name.isEmpty()
                && !Literal.isDigit(name.charAt(0))
                && name.chars()
                        .allMatch(c ->
                                Literal.isDigit(c)
                                        || (c >= 'a' && c <= 'z')
                                        || (c >= 'A' && c <= 'Z')
                                        || c == '_');
    }
}
