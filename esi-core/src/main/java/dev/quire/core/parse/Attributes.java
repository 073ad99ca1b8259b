package dev.quire.core.parse;

import dev.quire.core.expression.Escape;
import dev.quire.core.expression.Expression;
import dev.quire.core.expression.Template;
import dev.quire.core.http.FieldSyntax;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiConsumer;

/**
 * The attributes of one start tag. An unreadable value counts as absent and is reported with the
 * expected format. The diagnostic names the attribute, never text of the page.
 */
final class Attributes {

    private static final String IGNORED = "attribute ignored";

    /**
     * The longest lifetime: the largest delta-seconds every recipient supports (RFC 9111 §1.2.2).
     */
    private static final long MOST_SECONDS = Integer.MAX_VALUE;

    private static final int MOST_DIGITS = 15;

    private final Tag tag;
    private final Position at;
    private final Expressions expressions;
    private final Diagnostics diagnostics;

    Attributes(Tag tag, Position at, Expressions expressions, Diagnostics diagnostics) {
        this.tag = tag;
        this.at = at;
        this.expressions = expressions;
        this.diagnostics = diagnostics;
    }

    Position at() {
        return at;
    }

    Expressions expressions() {
        return expressions;
    }

    /** Returns the value of {@code name}, possibly empty. */
    Optional<String> value(String name) {
        return tag.value(name);
    }

    /** Passes every attribute and its value to {@code each}, in order. */
    void forEach(BiConsumer<String, String> each) {
        tag.forEach(each);
    }

    boolean has(String name) {
        return tag.count(name) > 0;
    }

    /** Returns the value of {@code name}; an empty one is reported and ignored. */
    Optional<String> text(String name) {
        var value = tag.value(name);
        if (value.filter(String::isEmpty).isPresent()) {
            ignored(name, "is empty");
        }
        return value.filter(each -> !each.isEmpty());
    }

    /** Returns the value of {@code name} as text with references. */
    Optional<Template> template(String name) {
        return text(name).map(expressions::template);
    }

    /**
     * Returns the value of {@code name} as an expression.
     *
     * @param instead the consequence of a missing or unreadable value, for the diagnostic
     */
    Optional<Expression> expression(String name, String instead) {
        var text = tag.value(name).orElse("");
        if (text.isBlank()) {
            report("<" + tag.element() + "> has no " + name, instead);
            return Optional.empty();
        }
        var read = expressions.expression(text);
        if (read.problem() != null) {
            boolean isRead = read.expression() != null;
            report(name + ": " + read.problem(), isRead ? "evaluated as written" : instead);
        }
        return Optional.ofNullable(read.expression());
    }

    /** Returns the value of {@code name}, which must be one of {@code words}. */
    Optional<String> word(String name, String... words) {
        var value = tag.value(name);
        if (value.isPresent() && !Arrays.asList(words).contains(value.get())) {
            ignored(name, "must be " + String.join(" or ", words));
            return Optional.empty();
        }
        return value;
    }

    Optional<Escape> escape() {
        return word("escape", "html", "json", "js", "url", "none")
                .map(word -> Escape.valueOf(word.toUpperCase(Locale.ROOT)));
    }

    /** Returns the value of {@code name} as a name, see {@link Names#isName}. */
    Optional<String> name(String name) {
        var value = tag.value(name);
        if (value.isPresent() && !Names.isName(value.get())) {
            ignored(name, "must be " + Names.EXPECTED);
            return Optional.empty();
        }
        return value;
    }

    /** Returns the value of {@code name} as a three-digit status code. */
    OptionalInt status(String name) {
        var value = tag.value(name);
        if (value.isEmpty()) {
            return OptionalInt.empty();
        }
        long number = number(value.get());
        if (value.get().length() != 3 || number < 100) {
            ignored(name, "must be a three-digit status code");
            return OptionalInt.empty();
        }
        return OptionalInt.of((int) number);
    }

    /** Returns a lifetime such as {@code 5m} or {@code 0s}: seconds, minutes, hours or days. */
    Optional<Duration> lifetime(String name) {
        var value = tag.value(name);
        var read = value.flatMap(Attributes::lifetimeOf);
        if (value.isPresent() && read.isEmpty()) {
            ignored(name, "must be a number followed by s, m, h or d");
        }
        return read;
    }

    /** Returns a positive number of milliseconds. */
    Optional<Duration> milliseconds(String name) {
        return positive(name, "milliseconds").map(Duration::ofMillis);
    }

    /** Returns a positive number of seconds. */
    Optional<Duration> seconds(String name) {
        return positive(name, "seconds").map(Duration::ofSeconds);
    }

    void ignored(String name, String why) {
        report(name + " " + why, IGNORED);
    }

    void report(String what, String instead) {
        diagnostics.report(at, what, instead);
    }

    /** Parses a number of seconds or {@code infinity}. */
    static Optional<Duration> deltaSeconds(String text) {
        long seconds = text.equals("infinity") ? MOST_SECONDS : number(text);
        return seconds < 0
                ? Optional.empty()
                : Optional.of(Duration.ofSeconds(Math.min(seconds, MOST_SECONDS)));
    }

    private static Optional<Duration> lifetimeOf(String text) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        long number = number(text.substring(0, text.length() - 1));
        long unit =
                switch (text.charAt(text.length() - 1)) {
                    case 's' -> 1;
                    case 'm' -> 60;
                    case 'h' -> 3600;
                    case 'd' -> 86_400;
                    default -> -1;
                };
        return number < 0 || unit < 0
                ? Optional.empty()
                : Optional.of(
                        Duration.ofSeconds(
                                Math.min(Math.min(number, MOST_SECONDS) * unit, MOST_SECONDS)));
    }

    private Optional<Long> positive(String name, String unit) {
        var value = tag.value(name);
        if (value.isEmpty()) {
            return Optional.empty();
        }
        long number = number(value.get());
        if (number <= 0) {
            ignored(name, "must be a number of " + unit + " above 0");
            return Optional.empty();
        }
        return Optional.of(Math.min(number, MOST_SECONDS));
    }

    /** Returns the number in {@code text}, or -1 if it is not all digits or too long. */
    private static long number(String text) {
        return text.length() > MOST_DIGITS ? -1 : FieldSyntax.number(text, Long.MAX_VALUE);
    }
}
