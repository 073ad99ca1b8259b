package dev.quire.bench.studies;

import java.util.Locale;

/**
 * A figure that a study must reach.
 *
 * @param text what must hold, with the bound
 * @param found the measured figure
 * @param unit after the figure, such as {@code ×}
 */
record Claim(String text, double found, String unit, Verdict verdict) {
    /** A ratio of 1.0 holds from here on: two equal servers differ by as much. */
    private static final double EQUAL = 0.97;

    /** Whether the figure reaches its bound. */
    enum Verdict {
        HOLDS,
        MISSED,
        /** It has no bound. */
        REPORTED;

        static Verdict of(boolean holds) {
            return holds ? HOLDS : MISSED;
        }
    }

    /** A figure of at least {@code bound}. */
    static Claim atLeast(String text, double found, double bound, String unit) {
        return new Claim(
                text, found, unit, Verdict.of(found >= (isEven(bound, unit) ? EQUAL : bound)));
    }

    /** A figure of at most {@code bound}. */
    static Claim atMost(String text, double found, double bound, String unit) {
        return new Claim(
                text, found, unit, Verdict.of(found <= (isEven(bound, unit) ? 1 / EQUAL : bound)));
    }

    private static boolean isEven(double bound, String unit) {
        return bound == 1 && unit.equals("×");
    }

    /** A figure without a bound. */
    static Claim reported(String text, double found, String unit) {
        return new Claim(text, found, unit, Verdict.REPORTED);
    }

    String figure() {
        if (Double.isNaN(found)) {
            return "not measured";
        }
        var number =
                found == Math.rint(found) && Math.abs(found) < 1e9
                        ? String.format(Locale.ROOT, "%,.0f", found)
                        : String.format(Locale.ROOT, found < 10 ? "%.2f" : "%,.1f", found);
        return unit.isEmpty() ? number : number + " " + unit;
    }
}
