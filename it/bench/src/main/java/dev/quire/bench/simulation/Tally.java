package dev.quire.bench.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Counts between the end of the warm-up and the end. */
final class Tally {

    /** How a request was answered. */
    enum Answer {
        MEMORY("memory"),
        SHARED("shared store"),
        COALESCED("fetch of another request"),
        ORIGIN("origin");

        private final String title;

        Answer(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    /** A request to a store. */
    enum Operation {
        GET("GET"),
        LEASE("lease"),
        POLL("poll"),
        PUT("PUT"),
        RELEASE("release"),
        TICK("tick"),
        APPEND("append"),
        MESSAGE("message");

        private final String title;

        Operation(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    /** A command of the store that scripts consist of, as the store counts them. */
    enum Command {
        GETRANGE,
        EVALSHA,
        GET,
        SET,
        UNLINK,
        HSET,
        XADD,
        PUBLISH
    }

    private final Timeline timeline;
    private final long from;
    private final long until;
    private final Map<Answer, Long> answers = new EnumMap<>(Answer.class);
    private final Map<Operation, Long> operations = new EnumMap<>(Operation.class);
    private final Map<Command, Long> commands = new EnumMap<>(Command.class);
    private final long[] busyNanos;
    private final int[] originByObject;
    private final long[] originBySecond;
    private final List<Integer> herds = new ArrayList<>();
    private final List<Double> delayMillis = new ArrayList<>();
    private long requests;
    private long origin;
    private long bytes;
    private long stale;
    private long longestStale;

    Tally(Timeline timeline, Load load) {
        this.timeline = timeline;
        this.from = load.warmUp().toNanos();
        this.until = load.end();
        this.busyNanos = new long[load.shards()];
        this.originByObject = new int[load.objects()];
        this.originBySecond = new long[(int) (until / 1_000_000_000L) + 1];
    }

    private boolean counts() {
        return counts(timeline.now());
    }

    boolean counts(long time) {
        return time >= from && time < until;
    }

    /** A request has begun. */
    void requested() {
        requests++;
    }

    /**
     * A request was answered that had begun in the time that counts.
     *
     * @param staleNanos how long the answer was outdated; negative if it was not
     */
    void answered(Answer answer, long staleNanos) {
        answers.merge(answer, 1L, Long::sum);
        if (staleNanos >= 0) {
            stale++;
            longestStale = Math.max(longestStale, staleNanos);
        }
    }

    void origin(int object) {
        originByObject[object]++;
        int second = (int) (timeline.now() / 1_000_000_000L);
        if (second < originBySecond.length) {
            originBySecond[second]++;
        }
        origin += counts() ? 1 : 0;
    }

    /** All requests for {@code object} at the origin so far. */
    int originOf(int object) {
        return originByObject[object];
    }

    /** So many requests for an object arrived at the origin in the second after its purge. */
    void addHerd(int requestsAtOrigin) {
        herds.add(requestsAtOrigin);
    }

    void operation(Operation operation, long count, long transferred) {
        if (counts()) {
            operations.merge(operation, count, Long::sum);
            bytes += transferred;
        }
    }

    void command(Command command) {
        if (counts()) {
            commands.merge(command, 1L, Long::sum);
        }
    }

    void busy(int shard, long nanos) {
        busyNanos[shard] += counts() ? nanos : 0;
    }

    /** So long after the answer to a purge the last node has obeyed. */
    void delay(double millis) {
        delayMillis.add(millis);
    }

    long requests() {
        return requests;
    }

    long answers(Answer answer) {
        return answers.getOrDefault(answer, 0L);
    }

    long origin() {
        return origin;
    }

    /** The requests at the origin in each second of the whole run. */
    long[] originBySecond() {
        return originBySecond.clone();
    }

    long operations(Operation operation) {
        return operations.getOrDefault(operation, 0L);
    }

    /** All requests to stores. Messages are not requests. */
    long operations() {
        return operations.values().stream().mapToLong(each -> each).sum()
                - operations(Operation.MESSAGE);
    }

    long commands(Command command) {
        return commands.getOrDefault(command, 0L);
    }

    long bytes() {
        return bytes;
    }

    /** The share of the time that the busiest store works, from 0 to 1. */
    double busiest() {
        return Arrays.stream(busyNanos).max().orElse(0) / (double) (until - from);
    }

    double herd(double percent) {
        return percentile(herds.stream().mapToDouble(each -> each).toArray(), percent);
    }

    double delayMillis(double percent) {
        return percentile(delayMillis.stream().mapToDouble(each -> each).toArray(), percent);
    }

    long stale() {
        return stale;
    }

    double longestStaleSeconds() {
        return longestStale / 1e9;
    }

    private static double percentile(double[] values, double percent) {
        if (values.length == 0) {
            return 0;
        }
        Arrays.sort(values);
        int at = (int) Math.ceil(percent / 100 * values.length) - 1;
        return values[Math.max(0, at)];
    }
}
