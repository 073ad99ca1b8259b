package dev.quire.bench.studies;

/**
 * The highest rate that a server holds.
 *
 * @param isBound whether it held the highest rate of the search
 */
record HighestRate(double perSecond, boolean isBound) {
    private static final int HALVES = 3;
    private static final int STEPS = 2;
    private static final int TRIALS = 2;

    /** Whether a server holds a rate. */
    @FunctionalInterface
    interface Trial {
        boolean holds(double perSecond);
    }

    /**
     * Doubles the rate from {@code first} until it does not hold, or halves it until it holds; then
     * halves the ratio of the two twice. A rate that fails is tried a second time. The result is 0
     * if an eighth of {@code first} does not hold.
     */
    static HighestRate find(double first, double most, Trial trial) {
        double good = 0;
        double bad = Double.NaN;
        double rate = Math.min(first, most);
        for (int halves = 0; good == 0 && halves <= HALVES; halves++) {
            if (holds(rate, trial)) {
                good = rate;
            } else {
                bad = rate;
                rate /= 2;
            }
        }
        while (good > 0 && Double.isNaN(bad)) {
            if (good >= most) {
                return new HighestRate(good, true);
            }
            rate = Math.min(2 * good, most);
            if (holds(rate, trial)) {
                good = rate;
            } else {
                bad = rate;
            }
        }
        for (int step = 0; good > 0 && step < STEPS; step++) {
            rate = Math.sqrt(good * bad);
            if (holds(rate, trial)) {
                good = rate;
            } else {
                bad = rate;
            }
        }
        return new HighestRate(good, false);
    }

    private static boolean holds(double rate, Trial trial) {
        boolean holds = false;
        for (int time = 0; !holds && time < TRIALS; time++) {
            holds = trial.holds(rate);
        }
        return holds;
    }
}
