package dev.quire.bench.peers;

import dev.quire.bench.CannotMeasure;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The result of one run of a load generator.
 *
 * @param bytes of all responses, including heads
 * @param errors failed requests of any kind
 * @param p50Millis median latency; NaN where the load generator does not say it, as the next
 */
public record Outcome(
        long requests,
        double seconds,
        long bytes,
        long errors,
        double p50Millis,
        double p99Millis) {

    /** The result of a run that could not start. */
    static final Outcome NONE = new Outcome(0, 1, 0, 0, 0, 0);

    private static final Pattern WRK =
            Pattern.compile("^wrk: ([\\w-]+) (\\d+)$", Pattern.MULTILINE);
    private static final List<String> WRK_FIGURES =
            List.of("requests", "bytes", "duration-us", "median-us", "p99-us");
    private static final Pattern AB_SECONDS = line("Time taken for tests:\\s+([\\d.]+) seconds");
    private static final Pattern AB_COMPLETE = line("Complete requests:\\s+(\\d+)");
    private static final Pattern AB_FAILED = line("Failed requests:\\s+(\\d+)");
    private static final Pattern AB_STATUS = line("Non-2xx responses:\\s+(\\d+)");
    private static final Pattern AB_BYTES = line("Total transferred:\\s+(\\d+) bytes");
    private static final Pattern AB_P50 = line("\\s+50%\\s+(\\d+)");
    private static final Pattern AB_P99 = line("\\s+99%\\s+(\\d+)");
    private static final Pattern H2LOAD_STATUS =
            line("status codes: (\\d+) 2xx, (\\d+) 3xx, (\\d+) 4xx, (\\d+) 5xx");
    private static final Pattern H2LOAD_FAILED = line("requests: .* (\\d+) failed");
    private static final Pattern H2LOAD_BYTES = line("traffic: .*\\((\\d+)\\) total");

    public double requestsPerSecond() {
        return requests / seconds;
    }

    double bytesPerAnswer() {
        return requests == 0 ? 0 : (double) bytes / requests;
    }

    Outcome withErrors(long count) {
        return new Outcome(requests, seconds, bytes, count, p50Millis, p99Millis);
    }

    /** Returns the result of runs one after the other; latencies are medians of theirs. */
    public static Outcome sum(List<Outcome> runs) {
        return new Outcome(
                runs.stream().mapToLong(Outcome::requests).sum(),
                runs.stream().mapToDouble(Outcome::seconds).sum(),
                runs.stream().mapToLong(Outcome::bytes).sum(),
                runs.stream().mapToLong(Outcome::errors).sum(),
                Statistics.median(runs.stream().mapToDouble(Outcome::p50Millis)),
                Statistics.median(runs.stream().mapToDouble(Outcome::p99Millis)));
    }

    /** Parses the output of wrk with {@code it/bench/load/figures.lua}. */
    static Outcome ofWrk(String output) throws CannotMeasure {
        var figures = new HashMap<String, Long>();
        WRK.matcher(output)
                .results()
                .forEach(line -> figures.put(line.group(1), Long.valueOf(line.group(2))));
        for (var name : WRK_FIGURES) {
            if (!figures.containsKey(name)) {
                throw new CannotMeasure(
                        "expected '" + name + "' in the output of wrk, found: " + output.strip());
            }
        }
        long failed =
                figures.entrySet().stream()
                        .filter(figure -> figure.getKey().startsWith("failed-"))
                        .mapToLong(Map.Entry::getValue)
                        .sum();
        return new Outcome(
                figures.getOrDefault("requests", 0L),
                figures.getOrDefault("duration-us", 0L) / 1e6,
                figures.getOrDefault("bytes", 0L),
                failed,
                figures.getOrDefault("median-us", 0L) / 1e3,
                figures.getOrDefault("p99-us", 0L) / 1e3);
    }

    /** Parses the output of ab. Requests in flight at the end are neither complete nor failed. */
    static Outcome ofAb(String output) throws CannotMeasure {
        return new Outcome(
                (long) found(AB_COMPLETE, output),
                found(AB_SECONDS, output),
                (long) found(AB_BYTES, output),
                (long) found(AB_FAILED, output)
                        + (AB_STATUS.matcher(output).find() ? (long) found(AB_STATUS, output) : 0),
                found(AB_P50, output),
                found(AB_P99, output));
    }

    /**
     * Parses the output of h2load. It counts what it receives in {@code duration}; requests in
     * flight at the end are neither complete nor failed.
     */
    static Outcome ofH2load(String output, Duration duration) throws CannotMeasure {
        var codes = matched(H2LOAD_STATUS, output);
        return new Outcome(
                Long.parseLong(codes.group(1)),
                duration.toSeconds(),
                (long) found(H2LOAD_BYTES, output),
                (long) found(H2LOAD_FAILED, output)
                        + Long.parseLong(codes.group(2))
                        + Long.parseLong(codes.group(3))
                        + Long.parseLong(codes.group(4)),
                Double.NaN,
                Double.NaN);
    }

    private static double found(Pattern line, String output) throws CannotMeasure {
        return Double.parseDouble(matched(line, output).group(1));
    }

    private static Matcher matched(Pattern line, String output) throws CannotMeasure {
        var found = line.matcher(output);
        if (!found.find()) {
            throw new CannotMeasure(
                    "expected '"
                            + line.pattern()
                            + "' in the output of the load generator, found: "
                            + output.strip());
        }
        return found;
    }

    private static Pattern line(String pattern) {
        return Pattern.compile("^" + pattern, Pattern.MULTILINE);
    }
}
