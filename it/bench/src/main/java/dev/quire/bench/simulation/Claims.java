package dev.quire.bench.simulation;

import dev.quire.bench.simulation.Fault.Kind;
import java.time.Duration;
import java.util.Arrays;

/** The claims about a fleet, each with its figure and its limit. */
final class Claims {
    private static final double MOST_ORIGIN = 1.2;
    private static final double MOST_HERD = 2;
    private static final double MOST_DELAY_MILLIS = 100;
    private static final double MOST_BUSY = 0.3;
    private static final double MOST_AFTER_LOSS = 2;
    private static final double MOST_STALE_SECONDS = 0.1;

    private static final double MANY_PURGES = 100;
    private static final Duration SHORT = Duration.ofSeconds(10);

    /** From the end of a fault until no outdated response is used. */
    private static final Duration HEALED = Duration.ofSeconds(5);

    private final Load load;
    private final Table table = new Table("claim", "figure", "limit", "holds");

    /**
     * @param load in its steady state
     */
    Claims(Load load) {
        this.load = load;
    }

    private void claim(String claim, double figure, double limit, String format) {
        table.row(
                claim,
                format.formatted(figure),
                format.formatted(limit),
                figure <= limit ? "yes" : "no");
    }

    /**
     * Checks all of them.
     *
     * @param all the run of {@code load} with all that is shared
     */
    Table check(Tally all) {
        var one = load.of(1, load.requestsPerSecond()).withMemory(load.objects());
        double alone = World.run(one, Arrangement.LOG, null).origin();
        claim(
                "requests at the origin, in those of one node with room for all",
                all.origin() / alone,
                MOST_ORIGIN,
                "%.2f");
        claim(
                "most requests at the origin in the second after a purge",
                all.herd(100),
                MOST_HERD,
                "%.0f");
        claim("share of the time that the busiest store works", all.busiest(), MOST_BUSY, "%.3f");
        var purges =
                World.run(load.withPurges(MANY_PURGES).during(SHORT, SHORT), Arrangement.ALL, null);
        claim(
                "%.0f purges/s: p99 of ms until the last node has applied it"
                        .formatted(MANY_PURGES),
                purges.delayMillis(99),
                MOST_DELAY_MILLIS,
                "%.1f");
        claim(
                "%.0f purges/s: share of the time that the store of the log works"
                        .formatted(MANY_PURGES),
                purges.busiest(),
                MOST_BUSY,
                "%.3f");
        for (var kind : Kind.values()) {
            if (kind != Kind.SHARD || load.shards() > 1) {
                lost(kind, all.origin() / load.measuredSeconds());
            }
        }
        return table;
    }

    /**
     * Compares a run with a fault.
     *
     * @param usual requests per second at the origin
     */
    private void lost(Kind kind, double usual) {
        var fault = new Fault(kind, load.warmUp().plus(SHORT), SHORT);
        var healed = load.warmUp().plus(SHORT.multipliedBy(2)).plus(HEALED);
        var run = World.run(load.during(healed, SHORT.plus(HEALED)), Arrangement.ALL, fault);
        int from = (int) fault.from().toSeconds();
        int until = from + (int) SHORT.toSeconds();
        claim(
                "%s for %d s: requests at the origin, in the usual ones"
                        .formatted(kind.title(), SHORT.toSeconds()),
                mean(run, from, until) / usual,
                MOST_AFTER_LOSS,
                "%.2f");
        claim(
                "%s: the same in the 20 s after it".formatted(kind.title()),
                mean(run, until, until + 2 * (int) SHORT.toSeconds()) / usual,
                MOST_AFTER_LOSS,
                "%.2f");
        claim(
                "%s: longest time in s that an answer is outdated, from %d s after it"
                        .formatted(kind.title(), HEALED.toSeconds()),
                run.longestStaleSeconds(),
                MOST_STALE_SECONDS,
                "%.4f");
    }

    private static double mean(Tally run, int from, int until) {
        return Arrays.stream(run.originBySecond(), from, until).average().orElse(0);
    }
}
