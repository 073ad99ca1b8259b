package dev.quire.core.parse;

import dev.quire.core.expression.Expression;
import dev.quire.core.expression.Value;
import dev.quire.core.expression.Value.Source;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The syntax of names in a page: of variables, functions and items of a collection. */
final class Names {

    /** The required form of a name, for diagnostics. */
    static final String EXPECTED =
            "a letter followed by letters, digits or _, at most 256 characters";

    private static final int LONGEST = 256;
    private static final int LONGEST_NUMBER = 18;

    /**
     * The target of an assign.
     *
     * @param key of an item in the collection {@code name}; empty for the variable itself
     */
    record Target(String name, Optional<Expression> key) {}

    private Names() {}

    /** Whether {@code name} is {@code [A-Za-z][A-Za-z0-9_]*}, and not too long. */
    static boolean isName(String name) {
        if (name.isEmpty() || name.length() > LONGEST || !isLetter(name.charAt(0))) {
            return false;
        }
        for (int i = 1; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!isLetter(c) && !isDigit(c) && c != '_') {
                return false;
            }
        }
        return true;
    }

    /** Parses {@code name} or {@code name{key}}; returns null if malformed. */
    static @Nullable Target target(String text, Expressions expressions) {
        int brace = text.indexOf('{');
        if (brace < 0) {
            return isName(text) ? new Target(text, Optional.empty()) : null;
        }
        var name = text.substring(0, brace);
        if (!isName(name) || !text.endsWith("}")) {
            return null;
        }
        var key = key(text.substring(brace + 1, text.length() - 1), expressions);
        return key == null ? null : new Target(name, Optional.of(key));
    }

    /** Parses {@code bare / 'quoted' / "quoted" / '''raw''' / $(variable)}; null if malformed. */
    private static @Nullable Expression key(String text, Expressions expressions) {
        if (text.isEmpty()) {
            return null;
        }
        char first = text.charAt(0);
        if (first == '\'' || first == '"' || first == '$') {
            return expressions.expression(text).expression();
        }
        for (int i = 0; i < text.length(); i++) {
            if ("{}$|,\"'".indexOf(text.charAt(i)) >= 0) {
                return null;
            }
        }
        return new Expression.Literal(
                isNumber(text)
                        ? new Value.Int(Long.parseLong(text), Source.AUTHOR)
                        : new Value.Text(text, Source.AUTHOR));
    }

    private static boolean isNumber(String text) {
        int first = text.charAt(0) == '-' ? 1 : 0;
        return first < text.length()
                && text.length() <= LONGEST_NUMBER
                && text.chars().skip(first).allMatch(c -> isDigit((char) c));
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
