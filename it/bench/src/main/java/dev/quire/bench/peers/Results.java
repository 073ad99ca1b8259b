package dev.quire.bench.peers;

import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;

/**
 * The results of one run, as written to JSON.
 *
 * @param command as it was given
 * @param date of its start, in UTC
 * @param targets the measured ones, in the order of reports
 * @param absent those that were not measured, with reasons
 */
public record Results(
        String command,
        String date,
        int rounds,
        int seconds,
        Machine machine,
        List<Measured> targets,
        List<Absent> absent,
        List<Case> cases) {

    /** A measured target. */
    public record Measured(String name, String title, String version) {}

    /** A target that was not measured. */
    public record Absent(String name, String title, String why) {}

    /**
     * A workload with a number of clients.
     *
     * @param name includes the number of clients if there are several cases of the workload
     */
    public record Case(String name, String title, int connections, List<Series> series) {
        public Optional<Series> of(String target) {
            return series.stream().filter(one -> one.target().equals(target)).findFirst();
        }
    }

    /**
     * The results of one target in one case.
     *
     * @param peakBytes its resident memory
     * @param failure why it was not measured, or why its rounds are invalid
     */
    public record Series(
            String target, List<Round> rounds, long peakBytes, Optional<String> failure) {

        public Optional<String> problem() {
            return failure.or(() -> {
                var invalid = rounds.stream().filter(round -> !round.isValid()).toList();
                return invalid.isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                                invalid.size()
                                        + " of "
                                        + rounds.size()
                                        + " rounds are invalid: "
                                        + invalid.getFirst().fault().orElseThrow());
            });
        }

        public boolean isSound() {
            return problem().isEmpty() && !rounds.isEmpty();
        }

        public double requestsPerSecond() {
            return Statistics.median(rates());
        }

        double slowest() {
            return rates().min().orElse(Double.NaN);
        }

        double fastest() {
            return rates().max().orElse(Double.NaN);
        }

        private DoubleStream rates() {
            return rounds.stream().mapToDouble(round -> round.outcome().requestsPerSecond());
        }

        public double cpuMicrosPerRequest() {
            return Statistics.median(rounds.stream().mapToDouble(Round::cpuMicrosPerRequest));
        }

        public double p50Millis() {
            return Statistics.median(
                    rounds.stream().mapToDouble(round -> round.outcome().p50Millis()));
        }

        public double p99Millis() {
            return Statistics.median(
                    rounds.stream().mapToDouble(round -> round.outcome().p99Millis()));
        }

        double originRequestsPerThousand() {
            return Statistics.median(rounds.stream().mapToDouble(Round::originRequestsPerThousand));
        }

        double loadShare() {
            return Statistics.median(rounds.stream().mapToDouble(Round::loadShare));
        }

        public boolean isLoadFull() {
            return rounds.stream().anyMatch(Round::isLoadFull);
        }

        public long disturbed() {
            return rounds.stream().filter(Round::isDisturbed).count();
        }

        /** The median of the per-round ratios of requests per second to {@code base}. */
        public double ratioTo(Series base) {
            return Statistics.medianRatio(rates().boxed().toList(), base.rates().boxed().toList());
        }

        /** The median of the ratios of CPU time per request to {@code base}. */
        double cpuRatioTo(Series base) {
            return Statistics.medianRatio(
                    rounds.stream().map(Round::cpuMicrosPerRequest).toList(),
                    base.rounds.stream().map(Round::cpuMicrosPerRequest).toList());
        }
    }
}
