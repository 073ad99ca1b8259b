package dev.quire.core.expression;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.IsoFields;
import java.util.Locale;

/** Times in the notation of C's {@code strftime}, in UTC and the C locale. */
final class ClockFormat {
    private static final String[] DAYS = {
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"
    };
    private static final String[] MONTHS = {
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December"
    };
    private static final long FIRST_SECOND =
            LocalDateTime.of(LocalDate.of(0, 1, 1), LocalTime.MIN).toEpochSecond(ZoneOffset.UTC);
    private static final long LAST_SECOND =
            LocalDateTime.of(LocalDate.of(9999, 12, 31), LocalTime.MAX)
                    .toEpochSecond(ZoneOffset.UTC);

    private ClockFormat() {}

    /** Whether the year of {@code second} has at most four digits. */
    static boolean isWritable(long second) {
        return second >= FIRST_SECOND && second <= LAST_SECOND;
    }

    /** Formats {@code time}; unknown conversions stay as they are. */
    static String formatted(Instant time, String format) {
        var at = LocalDateTime.ofEpochSecond(time.getEpochSecond(), 0, ZoneOffset.UTC);
        var text = new StringBuilder(format.length() + 16);
        for (int i = 0; i < format.length(); i++) {
            char c = format.charAt(i);
            if (c == '%' && i + 1 < format.length()) {
                i++;
                conversion(text, format.charAt(i), at);
            } else {
                text.append(c);
            }
        }
        return text.toString();
    }

    private static void conversion(StringBuilder text, char conversion, LocalDateTime at) {
        int weekday = at.getDayOfWeek().getValue() % 7;
        switch (conversion) {
            case 'a' -> text.append(DAYS[weekday], 0, 3);
            case 'A' -> text.append(DAYS[weekday]);
            case 'b', 'h' -> text.append(MONTHS[at.getMonthValue() - 1], 0, 3);
            case 'B' -> text.append(MONTHS[at.getMonthValue() - 1]);
            case 'c' -> several(text, "a b e T Y", at);
            case 'C' -> padded(text, at.getYear() / 100, 2, '0');
            case 'd' -> padded(text, at.getDayOfMonth(), 2, '0');
            case 'D', 'x' -> several(text, "m/d/y", at);
            case 'e' -> padded(text, at.getDayOfMonth(), 2, ' ');
            case 'F' -> several(text, "Y-m-d", at);
            case 'g' -> padded(text, Math.floorMod(isoYear(at), 100), 2, '0');
            case 'G' -> padded(text, isoYear(at), 4, '0');
            case 'H' -> padded(text, at.getHour(), 2, '0');
            case 'I' -> padded(text, hourOfHalfDay(at), 2, '0');
            case 'j' -> padded(text, at.getDayOfYear(), 3, '0');
            case 'k' -> padded(text, at.getHour(), 2, ' ');
            case 'l' -> padded(text, hourOfHalfDay(at), 2, ' ');
            case 'm' -> padded(text, at.getMonthValue(), 2, '0');
            case 'M' -> padded(text, at.getMinute(), 2, '0');
            case 'n' -> text.append('\n');
            case 'p' -> text.append(at.getHour() < 12 ? "AM" : "PM");
            case 'P' -> text.append((at.getHour() < 12 ? "AM" : "PM").toLowerCase(Locale.ROOT));
            case 'r' -> several(text, "I:M:S p", at);
            case 'R' -> several(text, "H:M", at);
            case 's' -> text.append(at.toEpochSecond(ZoneOffset.UTC));
            case 'S' -> padded(text, at.getSecond(), 2, '0');
            case 't' -> text.append('\t');
            case 'T', 'X' -> several(text, "H:M:S", at);
            case 'u' -> text.append(at.getDayOfWeek().getValue());
            case 'U' -> padded(text, (at.getDayOfYear() + 6 - weekday) / 7, 2, '0');
            case 'V' -> padded(text, at.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR), 2, '0');
            case 'w' -> text.append(weekday);
            case 'W' -> padded(text, (at.getDayOfYear() + 6 - (weekday + 6) % 7) / 7, 2, '0');
            case 'y' -> padded(text, at.getYear() % 100, 2, '0');
            case 'Y' -> padded(text, at.getYear(), 4, '0');
            case 'z' -> text.append("+0000");
            case 'Z' -> text.append("UTC");
            case '%' -> text.append('%');
            default -> text.append('%').append(conversion);
        }
    }

    /** Letters are conversions; other characters are copied. */
    private static void several(StringBuilder text, String conversions, LocalDateTime at) {
        for (int i = 0; i < conversions.length(); i++) {
            char c = conversions.charAt(i);
            if (Ascii.isLetter(c)) {
                conversion(text, c, at);
            } else {
                text.append(c);
            }
        }
    }

    private static int hourOfHalfDay(LocalDateTime at) {
        return (at.getHour() + 11) % 12 + 1;
    }

    private static int isoYear(LocalDateTime at) {
        return at.get(IsoFields.WEEK_BASED_YEAR);
    }

    private static void padded(StringBuilder text, int number, int width, char with) {
        var digits = Integer.toString(number);
        text.repeat(with, Math.max(0, width - digits.length())).append(digits);
    }
}
