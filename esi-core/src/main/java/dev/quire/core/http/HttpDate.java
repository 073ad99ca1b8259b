package dev.quire.core.http;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.Month;
import java.time.Year;
import java.time.ZoneOffset;
import java.util.Optional;

/**
 * Dates in fields (RFC 9110 §5.6.7), in whole seconds. The three formats of the RFC are parsed
 * regardless of case and otherwise strictly; the first is written.
 */
public final class HttpDate {
    private static final String DAYS = "MonTueWedThuFriSatSun";
    private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
    private static final String[] LONG_DAYS = {
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"
    };

    private static final int FIXDATE_LENGTH = 29;
    private static final int ASCTIME_LENGTH = 24;

    /** The length of {@code , 18-Aug-50 02:01:18 GMT}, after the weekday of the second format. */
    private static final int AFTER_LONG_DAY_LENGTH = 24;

    private static final int SECONDS_A_DAY = 86_400;

    /** With this year, two-digit years mean 1970 to 2069. */
    private static final int USUAL_YEAR = 2019;

    /**
     * The last formatted second: most dates are the current time, and many have the same second.
     */
    private static volatile Written last = new Written(0, text(0));

    private record Written(long second, String text) {}

    private HttpDate() {}

    /** Returns the time in {@code text}, or empty if malformed; two-digit years are 1970-2069. */
    public static Optional<Instant> parse(String text) {
        return parse(text, USUAL_YEAR);
    }

    /**
     * Returns the time in {@code text}, or empty if malformed. A two-digit year more than 50 years
     * after {@code now} is in the previous century.
     */
    public static Optional<Instant> parse(String text, Instant now) {
        return parse(text, now.atOffset(ZoneOffset.UTC).getYear());
    }

    /**
     * Formats the time as {@code Thu, 18 Aug 2050 02:01:18 GMT}; fractions of a second are cut off.
     * Allocates nothing for the second formatted last. Thread-safe.
     *
     * @throws IllegalArgumentException unless its year is from 0 to 9999
     */
    public static String format(Instant time) {
        long second = time.getEpochSecond();
        var known = last;
        if (known.second != second) {
            known = new Written(second, text(second));
            last = known;
        }
        return known.text;
    }

    private static String text(long second) {
        var at = LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC);
        if (at.getYear() < 0 || at.getYear() > 9999) {
            throw new IllegalArgumentException("year must have four digits: " + at);
        }
        char[] text = "Ddd, 00 Mmm 0000 00:00:00 GMT".toCharArray();
        int day = 3 * (at.getDayOfWeek().getValue() - 1);
        int month = 3 * (at.getMonthValue() - 1);
        DAYS.getChars(day, day + 3, text, 0);
        twoDigits(text, 5, at.getDayOfMonth());
        MONTHS.getChars(month, month + 3, text, 8);
        twoDigits(text, 12, at.getYear() / 100);
        twoDigits(text, 14, at.getYear() % 100);
        twoDigits(text, 17, at.getHour());
        twoDigits(text, 20, at.getMinute());
        twoDigits(text, 23, at.getSecond());
        return new String(text);
    }

    private static void twoDigits(char[] text, int at, int number) {
        text[at] = (char) ('0' + number / 10);
        text[at + 1] = (char) ('0' + number % 10);
    }

    private static Optional<Instant> parse(String text, int yearNow) {
        return switch (text.indexOf(',')) {
            case -1 -> asctime(text);
            case 3 -> fixdate(text);
            default -> obsolete(text, yearNow);
        };
    }

    /** {@code Thu, 18 Aug 2050 02:01:18 GMT}. */
    private static Optional<Instant> fixdate(String text) {
        if (text.length() != FIXDATE_LENGTH
                || name(DAYS, text, 0) < 0
                || !isAt(text, 3, ", ")
                || !isAt(text, 7, " ")
                || !isAt(text, 11, " ")
                || !isAt(text, 16, " ")
                || !isAt(text, 25, " GMT")) {
            return Optional.empty();
        }
        return instant(
                number(text, 12, 4),
                name(MONTHS, text, 8) + 1,
                number(text, 5, 2),
                secondOfDay(text, 17));
    }

    /** {@code Thursday, 18-Aug-50 02:01:18 GMT}. */
    private static Optional<Instant> obsolete(String text, int yearNow) {
        int comma = text.indexOf(',');
        if (text.length() != comma + AFTER_LONG_DAY_LENGTH
                || !isLongDay(text.substring(0, comma))
                || !isAt(text, comma, ", ")
                || !isAt(text, comma + 4, "-")
                || !isAt(text, comma + 8, "-")
                || !isAt(text, comma + 11, " ")
                || !isAt(text, comma + 20, " GMT")) {
            return Optional.empty();
        }
        int year = number(text, comma + 9, 2);
        return instant(
                year < 0 ? year : nearest(year, yearNow),
                name(MONTHS, text, comma + 5) + 1,
                number(text, comma + 2, 2),
                secondOfDay(text, comma + 12));
    }

    /** {@code Thu Aug 8 02:01:18 2050}. */
    private static Optional<Instant> asctime(String text) {
        if (text.length() != ASCTIME_LENGTH
                || name(DAYS, text, 0) < 0
                || !isAt(text, 3, " ")
                || !isAt(text, 7, " ")
                || !isAt(text, 10, " ")
                || !isAt(text, 19, " ")) {
            return Optional.empty();
        }
        return instant(
                number(text, 20, 4),
                name(MONTHS, text, 4) + 1,
                text.charAt(8) == ' ' ? number(text, 9, 1) : number(text, 8, 2),
                secondOfDay(text, 11));
    }

    /** Returns the year ending in {@code twoDigits}, at most 50 years after {@code yearNow}. */
    private static int nearest(int twoDigits, int yearNow) {
        int year = yearNow - yearNow % 100 + 100 + twoDigits;
        while (year > yearNow + 50) {
            year -= 100;
        }
        return year;
    }

    private static Optional<Instant> instant(int year, int month, int day, int secondOfDay) {
        if (year < 0 || month < 1 || day < 1 || secondOfDay < 0) {
            return Optional.empty();
        }
        if (day > Month.of(month).length(Year.isLeap(year))) {
            return Optional.empty();
        }
        long days = LocalDate.of(year, month, day).toEpochDay();
        return Optional.of(Instant.ofEpochSecond(days * SECONDS_A_DAY + secondOfDay));
    }

    /** Returns the second of {@code 02:01:18} at {@code from}, or -1; 60 is a leap second. */
    private static int secondOfDay(String text, int from) {
        int hour = number(text, from, 2);
        int minute = number(text, from + 3, 2);
        int second = number(text, from + 6, 2);
        boolean isTime =
                hour >= 0
                        && hour < 24
                        && minute >= 0
                        && minute < 60
                        && second >= 0
                        && second <= 60
                        && isAt(text, from + 2, ":")
                        && isAt(text, from + 5, ":");
        return isTime ? (hour * 60 + minute) * 60 + second : -1;
    }

    /** Returns the number of {@code count} digits at {@code from}, or -1. */
    private static int number(String text, int from, int count) {
        int number = 0;
        for (int i = from; i < from + count; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            number = number * 10 + digit;
        }
        return number;
    }

    /** Returns the index of the three-letter name at {@code from} in {@code names}, or -1. */
    private static int name(String names, String text, int from) {
        for (int i = 0; i < names.length(); i += 3) {
            if (text.regionMatches(true, from, names, i, 3)) {
                return i / 3;
            }
        }
        return -1;
    }

    private static boolean isLongDay(String text) {
        for (var day : LONG_DAYS) {
            if (day.equalsIgnoreCase(text)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAt(String text, int from, String expected) {
        return text.regionMatches(true, from, expected, 0, expected.length());
    }
}
