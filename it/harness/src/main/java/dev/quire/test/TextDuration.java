package dev.quire.test;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;

/** Parses durations in tests and formats them for messages: {@code 30s}, {@code 200ms}. */
final class TextDuration {
    private TextDuration() {}

    /**
     * Parses {@code text}: a whole number and a unit, or ISO 8601.
     *
     * @throws IllegalArgumentException if it is not valid; the message has examples
     */
    static Duration of(String text) {
        try {
            var unit = text.replaceFirst("^[0-9]+", "");
            if (unit.equals(text)) {
                return notNegative(Duration.parse(text.toUpperCase(Locale.ROOT)), text);
            }
            long number = Long.parseLong(text, 0, text.length() - unit.length(), 10);
            return switch (unit) {
                case "ms" -> Duration.ofMillis(number);
                case "s" -> Duration.ofSeconds(number);
                case "m" -> Duration.ofMinutes(number);
                case "h" -> Duration.ofHours(number);
                case "d" -> Duration.ofDays(number);
                default -> throw none(text);
            };
        } catch (DateTimeParseException | NumberFormatException | ArithmeticException e) {
            throw none(text);
        }
    }

    /** The shortest text for {@code time}; minutes as seconds, as in caching fields. */
    static String text(Duration time) {
        if (time.isNegative()) {
            return "-" + text(time.negated());
        }
        if (time.compareTo(Duration.ofHours(1)) >= 0 && time.toSeconds() % 3600 == 0) {
            return time.toHours() + "h";
        }
        if (time.compareTo(Duration.ofSeconds(1)) < 0 && !time.isZero()) {
            return time.toMillis() == 0 ? "under 1ms" : time.toMillis() + "ms";
        }
        return BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros().toPlainString() + "s";
    }

    private static Duration notNegative(Duration time, String text) {
        if (time.isNegative()) {
            throw none(text);
        }
        return time;
    }

    private static IllegalArgumentException none(String text) {
        return new IllegalArgumentException(
                "'%s' is not a duration (expected for example '30s', '200ms', '5m', '1h' or 'PT30S')"
                        .formatted(text));
    }
}
