package dev.quire.bench.peers;

import java.util.Optional;

/**
 * One measured run against one target.
 *
 * @param cpuSeconds user and system time of all of the target's processes
 * @param loadCpuSeconds user and system time of the load generator
 * @param loadThreads number of its threads
 * @param originRequests requests at the origin
 * @param others share of the machine used by processes that were not started here, 0 to 1
 * @param fault why the round is invalid
 */
public record Round(
        Outcome outcome,
        double cpuSeconds,
        double loadCpuSeconds,
        int loadThreads,
        long originRequests,
        double others,
        Optional<String> fault) {
    /** A round is disturbed if other processes use more than this share of the machine. */
    static final double DISTURBED = 0.05;

    /** Above this share of its threads' time the load generator may be the bottleneck. */
    static final double FULL = 0.9;

    private static final double TOLERANCE = 0.02;
    private static final int HEAD_BYTES = 2000;

    public boolean isValid() {
        return fault.isEmpty();
    }

    public boolean isDisturbed() {
        return others > DISTURBED;
    }

    /** Returns the share of its threads' time in which the load generator was busy. */
    double loadShare() {
        return loadCpuSeconds / (outcome.seconds() * loadThreads);
    }

    public boolean isLoadFull() {
        return loadShare() > FULL;
    }

    public double cpuMicrosPerRequest() {
        return outcome.requests() == 0 ? 0 : cpuSeconds * 1e6 / outcome.requests();
    }

    public double originRequestsPerThousand() {
        return outcome.requests() == 0 ? 0 : originRequests * 1e3 / outcome.requests();
    }

    /**
     * Returns why {@code outcome} is invalid for the workload: wrong response sizes, failed
     * requests, or too many or too few requests at the origin.
     *
     * @param bodyBytes expected body size; heads and framing may add to it; NaN for any
     * @param originRequestsEach expected requests at the origin per request, or {@link
     *     Meter.Expected#ANY}
     * @param connections maximum number of requests in flight at the end: their bytes are counted,
     *     the requests are not
     */
    static Optional<String> fault(
            Outcome outcome,
            double bodyBytes,
            int originRequestsEach,
            long originRequests,
            int connections) {
        if (outcome.requests() == 0) {
            return Optional.of("no request was answered");
        }
        if (outcome.errors() > 0) {
            return Optional.of(
                    "%,d errors in %,d requests".formatted(outcome.errors(), outcome.requests()));
        }
        double bytes = outcome.bytesPerAnswer();
        double unfinished = bodyBytes * connections / outcome.requests();
        if (bytes < bodyBytes * (1 - TOLERANCE)
                || bytes > bodyBytes * (1 + TOLERANCE) + HEAD_BYTES + unfinished) {
            return Optional.of(
                    "%,.0f bytes per response, expected %,.0f and a head"
                            .formatted(bytes, bodyBytes));
        }
        if (originRequestsEach == Meter.Expected.ANY) {
            return Optional.empty();
        }
        double expected = (double) originRequestsEach * outcome.requests();
        // Requests in flight at the end, and for any target one or two background refreshes.
        double slack = 2 + (double) connections * originRequestsEach + expected * TOLERANCE;
        if (Math.abs(originRequests - expected) > slack) {
            return Optional.of(
                    "%,d requests at the origin, expected %,.0f"
                            .formatted(originRequests, expected));
        }
        return Optional.empty();
    }
}
