package dev.quire.core.policy;

import dev.quire.core.http.FieldList;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One cache directive (RFC 9111 §5.2).
 *
 * @param name in lower case
 * @param argument the text after {@code =}, without quotes
 */
record Directive(String name, Optional<String> argument) {

    /** Parses a member of the list; one with white space beside {@code =} is malformed. */
    static Optional<Directive> parse(String member) {
        int equals = member.indexOf('=');
        if (equals < 0) {
            return Optional.of(new Directive(lowerCase(member), Optional.empty()));
        }
        if (isSpaceAt(member, equals - 1) || isSpaceAt(member, equals + 1)) {
            return Optional.empty();
        }
        return Optional.of(
                new Directive(
                        lowerCase(member.substring(0, equals)),
                        Optional.of(unquoted(member.substring(equals + 1)))));
    }

    /** Whether this is the directive called {@code name}, given in lower case. */
    boolean is(String name) {
        return this.name.equals(name);
    }

    /**
     * Returns the argument as a time. A malformed or missing one is zero, so that the response is
     * stale at once (RFC 9111 §4.2.1).
     */
    Duration seconds() {
        return Duration.ofSeconds(Math.max(0, argument.map(DeltaSeconds::parse).orElse(0L)));
    }

    /** Returns the field names in the argument, in lower case; empty without an argument. */
    List<String> fieldNames() {
        return FieldList.split(lowerCase(argument.orElse("")), ',');
    }

    private static String lowerCase(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    private static boolean isSpaceAt(String text, int index) {
        return index >= 0 && index < text.length() && FieldList.isSpace(text.charAt(index));
    }

    /** Returns the inside of a quoted string; other text unchanged. */
    private static String unquoted(String text) {
        if (!text.startsWith("\"") || FieldList.closingQuote(text, 0) != text.length() - 1) {
            return text;
        }
        var inside = new StringBuilder(text.length());
        for (int i = 1; i < text.length() - 1; i++) {
            if (text.charAt(i) == '\\') {
                i++;
            }
            inside.append(text.charAt(i));
        }
        return inside.toString();
    }
}
