package dev.quire.proxy.reference;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The three date formats (RFC 9110 §5.6.7). */
final class Dates {
    private static final List<String> MONTHS =
            List.of(
                    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov",
                    "dec");
    private static final String MONTH = "(?<month>" + String.join("|", MONTHS) + ")";
    private static final String TIME = "(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)";

    private static final List<Pattern> FORMATS =
            List.of(
                    pattern(
                            "(mon|tue|wed|thu|fri|sat|sun), (?<day>\\d\\d) "
                                    + MONTH
                                    + " (?<year>\\d{4}) "
                                    + TIME
                                    + " gmt"),
                    pattern(
                            "(mon|tues|wednes|thurs|fri|satur|sun)day, (?<day>\\d\\d)-"
                                    + MONTH
                                    + "-(?<year>\\d\\d) "
                                    + TIME
                                    + " gmt"),
                    pattern(
                            "(mon|tue|wed|thu|fri|sat|sun) "
                                    + MONTH
                                    + " (?<day> \\d|\\d\\d) "
                                    + TIME
                                    + " (?<year>\\d{4})"));

    private static final DateTimeFormatter WRITTEN =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
                    .withZone(ZoneOffset.UTC);

    private Dates() {}

    static String written(Instant time) {
        return WRITTEN.format(time);
    }

    /** Parses {@code text}; returns nothing if it is not a date. */
    static Optional<Instant> read(String text, Instant now) {
        return FORMATS.stream()
                .map(format -> format.matcher(text))
                .filter(Matcher::matches)
                .findFirst()
                .flatMap(matcher -> time(matcher, now));
    }

    private static Optional<Instant> time(Matcher matcher, Instant now) {
        try {
            int second = number(matcher, "second");
            var time =
                    LocalDateTime.of(
                            year(matcher.group("year"), now.atOffset(ZoneOffset.UTC).getYear()),
                            MONTHS.indexOf(matcher.group("month").toLowerCase(Locale.ROOT)) + 1,
                            number(matcher, "day"),
                            number(matcher, "hour"),
                            number(matcher, "minute"),
                            Math.min(second, 59));
            // A leap second is allowed, after the 59th second.
            return second > 60
                    ? Optional.empty()
                    : Optional.of(time.toInstant(ZoneOffset.UTC).plusSeconds(second == 60 ? 1 : 0));
        } catch (DateTimeException noSuchDay) {
            return Optional.empty();
        }
    }

    /** A two-digit year more than 50 years ahead is in the previous century. */
    private static int year(String digits, int thisYear) {
        int year = Integer.parseInt(digits);
        if (digits.length() == 4) {
            return year;
        }
        int inThisCentury = thisYear - thisYear % 100 + year;
        return inThisCentury > thisYear + 50 ? inThisCentury - 100 : inThisCentury;
    }

    private static int number(Matcher matcher, String group) {
        return Integer.parseInt(matcher.group(group).strip());
    }

    private static Pattern pattern(String format) {
        return Pattern.compile(format, Pattern.CASE_INSENSITIVE);
    }
}
