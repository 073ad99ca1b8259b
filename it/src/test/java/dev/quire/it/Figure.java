package dev.quire.it;

import java.time.Duration;
import java.util.Locale;

/** The figures that tests of faults measure, one line each on standard output. */
final class Figure {
    private Figure() {}

    /** Prints what was measured beside the bound it is held against. */
    static void print(String fault, String what, Object measured, Object bound) {
        System.out.printf("figure %s: %s: %s (bound: %s)%n", fault, what, measured, bound);
    }

    /** {@code duration} in milliseconds. */
    static String ms(Duration duration) {
        return String.format(Locale.ROOT, "%.2f ms", duration.toNanos() / 1e6);
    }

    /** {@code part} of {@code whole} in percent. */
    static String percent(long part, long whole) {
        return String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
    }
}
