package dev.quire.bench.peers;

import dev.quire.bench.CannotMeasure;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What a load generator says of one run.
 *
 * @param bytes of all answers, heads included
 * @param errors requests that failed in whatever way
 * @param p50Millis half of the answers were there by then
 */
record Outcome(
        long requests,
        double seconds,
        long bytes,
        long errors,
        double p50Millis,
        double p99Millis) {

    /** Of a run that did not come about. */
    static final Outcome NONE = new Outcome(0, 1, 0, 0, 0, 0);

    private static final Pattern WRK =
            Pattern.compile(
                    "^outcome requests=(\\d+) micros=(\\d+) bytes=(\\d+) connect=(\\d+) read=(\\d+)"
                            + " write=(\\d+) status=(\\d+) timeout=(\\d+) p50=(\\d+) p99=(\\d+)$",
                    Pattern.MULTILINE);
    private static final Pattern AB_SECONDS = line("Time taken for tests:\\s+([\\d.]+) seconds");
    private static final Pattern AB_COMPLETE = line("Complete requests:\\s+(\\d+)");
    private static final Pattern AB_FAILED = line("Failed requests:\\s+(\\d+)");
    private static final Pattern AB_STATUS = line("Non-2xx responses:\\s+(\\d+)");
    private static final Pattern AB_BYTES = line("Total transferred:\\s+(\\d+) bytes");
    private static final Pattern AB_P50 = line("\\s+50%\\s+(\\d+)");
    private static final Pattern AB_P99 = line("\\s+99%\\s+(\\d+)");

    double requestsPerSecond() {
        return requests / seconds;
    }

    double bytesPerAnswer() {
        return requests == 0 ? 0 : (double) bytes / requests;
    }

    /** What {@code it/bench/load/outcome.lua} makes wrk print. */
    static Outcome ofWrk(String output) throws CannotMeasure {
        var line = WRK.matcher(output);
        if (!line.find()) {
            throw new CannotMeasure("wrk has printed no outcome, but: " + output.strip());
        }
        return new Outcome(
                number(line, 1),
                number(line, 2) / 1e6,
                number(line, 3),
                number(line, 4)
                        + number(line, 5)
                        + number(line, 6)
                        + number(line, 7)
                        + number(line, 8),
                number(line, 9) / 1e3,
                number(line, 10) / 1e3);
    }

    /**
     * What ab prints.
     *
     * @param asked how many requests it was to make; what it has not completed has failed
     */
    static Outcome ofAb(String output, long asked) throws CannotMeasure {
        long complete = (long) found(AB_COMPLETE, output);
        return new Outcome(
                complete,
                found(AB_SECONDS, output),
                (long) found(AB_BYTES, output),
                (long) found(AB_FAILED, output)
                        + (AB_STATUS.matcher(output).find() ? (long) found(AB_STATUS, output) : 0)
                        + asked
                        - complete,
                found(AB_P50, output),
                found(AB_P99, output));
    }

    private static double found(Pattern line, String output) throws CannotMeasure {
        var found = line.matcher(output);
        if (!found.find()) {
            throw new CannotMeasure(
                    "ab has not printed '" + line.pattern() + "', but: " + output.strip());
        }
        return Double.parseDouble(found.group(1));
    }

    private static Pattern line(String pattern) {
        return Pattern.compile("^" + pattern, Pattern.MULTILINE);
    }

    private static long number(MatchResult found, int group) {
        return Long.parseLong(found.group(group));
    }
}
