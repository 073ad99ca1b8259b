package dev.quire.it;

import java.time.Duration;
import java.util.Locale;

/** Prints the figures that tests of faults measure, one line each, to standard output. */
final class Figure {
    private Figure() {}

    /** Prints a measured value and its bound. */
    static void print(String fault, String what, Object measured, Object bound) {
        System.out.printf("figure %s: %s: %s (bound: %s)%n", fault, what, measured, bound);
    }

    /** Formats {@code duration} in milliseconds. */
    static String ms(Duration duration) {
        return String.format(Locale.ROOT, "%.2f ms", duration.toNanos() / 1e6);
    }

    /** Formats {@code part} of {@code whole} in percent. */
    static String percent(long part, long whole) {
        return String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
    }
}
