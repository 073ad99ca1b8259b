package dev.quire.bench.kill;

import java.util.ArrayList;
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
 * @param givenUp directories whose process had given up their content before its kill, which it may
 *     do if the disk is too slow
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
        long givenUp,
        long answers,
        long hits,
        long wrong,
        long revived,
        List<String> faults) {

    static final Evidence NONE = new Evidence(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, List.of());

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
                givenUp + other.givenUp,
                answers + other.answers,
                hits + other.hits,
                wrong + other.wrong,
                revived + other.revived,
                Stream.concat(faults.stream(), other.faults.stream()).toList());
    }

    /** All that was wrong, in words; also that too little was seen to say that nothing was. */
    List<String> violations() {
        var all = new ArrayList<>(faults);
        if (wrong > 0) {
            all.add("%,d answers with bytes that were never stored".formatted(wrong));
        }
        if (revived > 0) {
            all.add("%,d answers that had been purged".formatted(revived));
        }
        if (purges == 0) {
            all.add("expected durable purges before the kills, found none");
        }
        if (2 * givenUp > kills) {
            all.add(
                    "expected most directories in use at the kills, found %,d of %,d given up"
                            .formatted(givenUp, kills));
        }
        if (hits == 0) {
            all.add("expected hits after the kills, found none");
        }
        return List.copyOf(all);
    }

    boolean isSound() {
        return violations().isEmpty();
    }

    @Override
    public String toString() {
        return ("%,d kills (at most %.1f ms after a purge), %,d directories damaged, %,d durable purges, %,d not durable,"
                        + " %,d directories given up, %,d answers, %,d hits after a kill, %,d wrong, %,d revived, %,d other"
                        + " faults")
                .formatted(
                        kills,
                        latestMillis,
                        damaged,
                        purges,
                        notDurable,
                        givenUp,
                        answers,
                        hits,
                        wrong,
                        revived,
                        faults.size());
    }
}
