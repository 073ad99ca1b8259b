package dev.quire.bench.peers;

import java.util.Optional;

/**
 * One measured run against one target.
 *
 * @param cpuSeconds user and system time of all of the target's processes
 * @param loadCpuSeconds the same of the load generator
 * @param loadThreads how many threads it has
 * @param originRequests how many the origin saw
 * @param others share of the machine that went to processes none of which were started here, 0 to 1
 * @param fault why nothing can be concluded from it
 */
record Round(
        Outcome outcome,
        double cpuSeconds,
        double loadCpuSeconds,
        int loadThreads,
        long originRequests,
        double others,
        Optional<String> fault) {
    /** From this share of the machine on, others have disturbed a round. */
    static final double DISTURBED = 0.05;

    /** From this share of its threads' time on, the load generator may be what is measured. */
    static final double FULL = 0.9;

    private static final double TOLERANCE = 0.02;
    private static final int HEAD_BYTES = 2000;

    boolean isValid() {
        return fault.isEmpty();
    }

    boolean isDisturbed() {
        return others > DISTURBED;
    }

    /** Share of its threads' time in which the load generator was busy. */
    double loadShare() {
        return loadCpuSeconds / (outcome.seconds() * loadThreads);
    }

    boolean isLoadFull() {
        return loadShare() > FULL;
    }

    double cpuMicrosPerRequest() {
        return outcome.requests() == 0 ? 0 : cpuSeconds * 1e6 / outcome.requests();
    }

    double originRequestsPerThousand() {
        return outcome.requests() == 0 ? 0 : originRequests * 1e3 / outcome.requests();
    }

    /**
     * Why {@code outcome} is not what the workload must give: answers of another size, failed
     * requests, or an origin that was asked more or less than it must be.
     *
     * @param bodyBytes of an answer; heads and framing may add to it
     * @param connections so many requests may be under way as the load ends: what has come of them
     *     is counted, they are not
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
        double expected = (double) originRequestsEach * outcome.requests();
        // Those under way when the load ends, and for any target a background refresh or two.
        double slack = 2 + (double) connections * originRequestsEach + expected * TOLERANCE;
        if (Math.abs(originRequests - expected) > slack) {
            return Optional.of(
                    "%,d requests at the origin, expected %,.0f"
                            .formatted(originRequests, expected));
        }
        return Optional.empty();
    }
}
