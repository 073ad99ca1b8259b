package dev.quire.bench.replay;

import dev.quire.bench.MeasuredLimits;

/** The hit rates that a store must reach under the usual workloads, in percent and in points. */
final class RateLimits {
    private static final double LEAST = 60.5;

    /** Points more than a store that admits all responses, if lengths have a heavy tail. */
    private static final double LEAST_GAIN = 6;

    /** Points less by bytes. */
    private static final double MOST_LOST = 1;

    private RateLimits() {}

    /**
     * @param rate of the measured store
     * @param allAdmitted of one that admits all responses
     */
    static void check(boolean isHeavy, HitRate rate, HitRate allAdmitted, MeasuredLimits limits) {
        if (isHeavy) {
            double gain = rate.late() - allAdmitted.late();
            limits.check(
                    gain >= LEAST_GAIN,
                    "requests, second half     %.2f %%, with admission all %.2f %%: %+.2f points, limit %+.0f"
                            .formatted(rate.late(), allAdmitted.late(), gain, LEAST_GAIN));
        } else {
            limits.check(
                    rate.ofAll() >= LEAST,
                    "hit rate                  %.2f %%, limit %.1f %%, with admission all %.2f %%"
                            .formatted(rate.ofAll(), LEAST, allAdmitted.ofAll()));
        }
        double lost = allAdmitted.lateBytes() - rate.lateBytes();
        limits.check(
                lost <= MOST_LOST,
                "bytes, second half        %.2f %%, with admission all %.2f %%: %+.2f points, limit %+.0f"
                        .formatted(rate.lateBytes(), allAdmitted.lateBytes(), -lost, -MOST_LOST));
    }
}
