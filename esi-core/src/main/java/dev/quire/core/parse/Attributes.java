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
 * The attributes of one start tag. A value that cannot be read counts as absent, and a diagnostic
 * says what was expected; it names the attribute, never the page's own text.
 */
final class Attributes {

    private static final String IGNORED = "attribute ignored";

    /** The longest lifetime: what a delta-seconds can say for certain (RFC 9111 §1.2.2). */
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

    /** The value of {@code name}, which may be empty. */
    Optional<String> value(String name) {
        return tag.value(name);
    }

    /** Every attribute with its value, in order. */
    void forEach(BiConsumer<String, String> each) {
        tag.forEach(each);
    }

    boolean has(String name) {
        return tag.count(name) > 0;
    }

    /** The value of {@code name}, which says nothing if it is empty. */
    Optional<String> text(String name) {
        var value = tag.value(name);
        if (value.filter(String::isEmpty).isPresent()) {
            ignored(name, "is empty");
        }
        return value.filter(each -> !each.isEmpty());
    }

    /** The value of {@code name} as text with references. */
    Optional<Template> template(String name) {
        return text(name).map(expressions::template);
    }

    /** The value of {@code name} as an expression; {@code instead} says what comes without. */
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

    /** The value of {@code name}, which must be one of {@code words}. */
    Optional<String> word(String name, String... words) {
        var value = tag.value(name);
        if (value.isPresent() && !Arrays.asList(words).contains(value.get())) {
            ignored(name, "must be " + String.join(" or ", words));
            return Optional.empty();
        }
        return value;
    }

    /** How what {@code escape} says is to be written. */
    Optional<Escape> escape() {
        return word("escape", "html", "json", "js", "url", "none")
                .map(word -> Escape.valueOf(word.toUpperCase(Locale.ROOT)));
    }

    /** A name an author gives, see {@link Names#isName}. */
    Optional<String> name(String name) {
        var value = tag.value(name);
        if (value.isPresent() && !Names.isName(value.get())) {
            ignored(name, "must be " + Names.EXPECTED);
            return Optional.empty();
        }
        return value;
    }

    /** A status code, three digits. */
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

    /** {@code 5m}, {@code 0s}: a number of seconds, minutes, hours or days. */
    Optional<Duration> lifetime(String name) {
        var value = tag.value(name);
        var read = value.flatMap(Attributes::lifetimeOf);
        if (value.isPresent() && read.isEmpty()) {
            ignored(name, "must be a number followed by s, m, h or d");
        }
        return read;
    }

    /** A number of milliseconds above zero. */
    Optional<Duration> milliseconds(String name) {
        return positive(name, "milliseconds").map(Duration::ofMillis);
    }

    /** A number of seconds above zero. */
    Optional<Duration> seconds(String name) {
        return positive(name, "seconds").map(Duration::ofSeconds);
    }

    /** {@code value} cannot be read. */
    void ignored(String name, String why) {
        report(name + " " + why, IGNORED);
    }

    void report(String what, String instead) {
        diagnostics.report(at, what, instead);
    }

    /** A number of seconds, or {@code infinity}. */
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

    /** What the digits of {@code text} say; -1 if it is anything else, or too long. */
    private static long number(String text) {
        return text.length() > MOST_DIGITS ? -1 : FieldSyntax.number(text, Long.MAX_VALUE);
    }
}
