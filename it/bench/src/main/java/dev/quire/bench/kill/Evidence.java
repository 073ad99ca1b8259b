package dev.quire.bench.kill;

import java.util.List;
import java.util.stream.Stream;

/**
 * Counts of kills, and of the answers after them.
 *
 * @param kills of processes
 * @param latestMillis of them after the answer to the last purge
 * @param damaged directories
 * @param purges that were reported as durable before a kill
 * @param notDurable purges that were reported as not durable
 * @param answers read
 * @param hits of them, from a process that was started after a kill
 * @param wrong answers with other bytes than were stored
 * @param revived answers that had been purged
 * @param faults other violations, in words
 */
record Evidence(
        long kills,
        double latestMillis,
        long damaged,
        long purges,
        long notDurable,
        long answers,
        long hits,
        long wrong,
        long revived,
        List<String> faults) {

    static final Evidence NONE = new Evidence(0, 0, 0, 0, 0, 0, 0, 0, 0, List.of());

    Evidence {
        faults = List.copyOf(faults);
    }

    Evidence plus(Evidence other) {
        return new Evidence(
                kills + other.kills,
                Math.max(latestMillis, other.latestMillis),
                damaged + other.damaged,
                purges + other.purges,
                notDurable + other.notDurable,
                answers + other.answers,
                hits + other.hits,
                wrong + other.wrong,
                revived + other.revived,
                Stream.concat(faults.stream(), other.faults.stream()).toList());
    }

    /** Whether nothing wrong was seen, and enough to say so. */
    boolean isSound() {
        return wrong == 0 && revived == 0 && faults.isEmpty() && purges > 0 && hits > 0;
    }

    @Override
    public String toString() {
        return ("%,d kills (at most %.1f ms after a purge), %,d directories damaged, %,d durable purges, %,d not durable,"
                        + " %,d answers, %,d hits after a kill, %,d wrong, %,d revived, %,d other"
                        + " faults")
                .formatted(
                        kills,
                        latestMillis,
                        damaged,
                        purges,
                        notDurable,
                        answers,
                        hits,
                        wrong,
                        revived,
                        faults.size());
    }
}
