package dev.quire.bench.studies;

import dev.quire.bench.kill.Client;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Users who arrive by a Poisson process, however slowly the server answers: an open loop. Each
 * requests some pages at random, one after the other, on a connection of its own. The time of the
 * first request begins when the user was to arrive, also if the generator is late.
 *
 * @param host of all requests
 * @param requests of each user
 * @param requestsPerSecond of all users
 * @param timeout of a request; later responses are errors
 * @param seed the same arrivals and pages for the same seed
 */
record UserLoad(
        String host,
        int users,
        int requests,
        double requestsPerSecond,
        Duration timeout,
        long seed) {

    /** How a request ended. */
    enum End {
        RIGHT,
        /** Not within the time-out. */
        LATE,
        /** Another status than 200. */
        REFUSED,
        /** No response. */
        FAILED,
        WRONG_BODY
    }

    /**
     * A request that ended.
     *
     * @param seconds when it ended, since the begin of the run
     * @param millis its duration
     */
    record Reply(double seconds, double millis, End end) {}

    /**
     * The replies of a run, or of several, in no order; errors count with the time until they were
     * known.
     */
    record Outcome(List<Reply> replies) {
        double meanMillis() {
            return replies.stream().mapToDouble(Reply::millis).average().orElse(Double.NaN);
        }

        /** Returns the duration that {@code percent} of the requests did not exceed. */
        double percentileMillis(double percent) {
            var sorted = replies.stream().mapToDouble(Reply::millis).sorted().toArray();
            int rank = (int) Math.ceil(percent / 100 * sorted.length);
            return sorted.length == 0 ? Double.NaN : sorted[Math.max(0, rank - 1)];
        }

        long errors() {
            return replies.size() - count(End.RIGHT);
        }

        double errorPercent() {
            return 100.0 * errors() / replies.size();
        }

        /** Returns the number of errors of each kind and their time; empty if there were none. */
        Optional<String> fault() {
            var times =
                    replies.stream()
                            .filter(reply -> reply.end() != End.RIGHT)
                            .mapToDouble(Reply::seconds)
                            .summaryStatistics();
            return times.getCount() == 0
                    ? Optional.empty()
                    : Optional.of(
                            "%,d errors of %,d requests: %,d with another status, %,d failed, %,d late, %,d wrong bodies, from %.1f to %.1f s"
                                    .formatted(
                                            times.getCount(),
                                            replies.size(),
                                            count(End.REFUSED),
                                            count(End.FAILED),
                                            count(End.LATE),
                                            count(End.WRONG_BODY),
                                            times.getMin(),
                                            times.getMax()));
        }

        long count(End end) {
            return replies.stream().filter(reply -> reply.end() == end).count();
        }

        /** Returns the number of requests that ended from {@code from} to before {@code to}. */
        long endedBetween(double from, double to) {
            return replies.stream()
                    .filter(reply -> reply.seconds() >= from && reply.seconds() < to)
                    .count();
        }

        double seconds() {
            return replies.stream().mapToDouble(Reply::seconds).max().orElse(0);
        }
    }

    /** Returns a load at the same seed for about {@code seconds}. */
    UserLoad at(double rate, double seconds) {
        int count = (int) Math.max(1, Math.round(rate * seconds / requests));
        return new UserLoad(host, count, requests, rate, timeout, seed);
    }

    /** Returns a load that requests the same pages from another host. */
    UserLoad from(String other) {
        return new UserLoad(other, users, requests, requestsPerSecond, timeout, seed);
    }

    /** Returns the expected time from the first user to the last. */
    double expectedSeconds() {
        return users * requests / requestsPerSecond;
    }

    /**
     * Sends all requests and returns when the last one has ended.
     *
     * @param port of the server, by the number of the user, asked when the user arrives
     */
    Outcome run(List<Step.Body> pages, IntUnaryOperator port) {
        var replies = new Reply[users * requests];
        var gaps = new SplittableRandom(seed);
        long begin = System.nanoTime();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            double due = 0;
            for (int user = 0; user < users; user++) {
                long arrival = begin + (long) (due * 1e9);
                for (long left = arrival - System.nanoTime();
                        left > 0;
                        left = arrival - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                int number = user;
                threads.execute(() ->
                        visit(number, port.applyAsInt(number), pages, begin, arrival, replies));
                due -= Math.log(1 - gaps.nextDouble()) * requests / requestsPerSecond;
            }
        }
        return new Outcome(List.of(replies));
    }

    private void visit(
            int user, int port, List<Step.Body> pages, long begin, long arrival, Reply[] replies) {
        var choice = new SplittableRandom(seed * 31 + user);
        long from = arrival;
        try (var connection = new Connection(port, timeout)) {
            for (int turn = 0; turn < requests; turn++) {
                var end = connection.request(host, pages.get(choice.nextInt(pages.size())));
                long now = System.nanoTime();
                if (end == End.RIGHT && now - from > timeout.toNanos()) {
                    end = End.LATE;
                }
                replies[user * requests + turn] =
                        new Reply((now - begin) / 1e9, (now - from) / 1e6, end);
                from = now;
            }
        }
    }

    /** The connection of a user, opened again after it failed. */
    private static final class Connection implements AutoCloseable {
        private final int port;
        private final Duration timeout;
        private @Nullable Client client;

        Connection(int port, Duration timeout) {
            this.port = port;
            this.timeout = timeout;
        }

        End request(String host, Step.Body page) {
            try {
                var open = client;
                if (open == null) {
                    open = new Client(port, timeout);
                    client = open;
                }
                var answer = open.get(host, page.path());
                if (answer.status() != 200) {
                    return End.REFUSED;
                }
                return Arrays.equals(answer.body(), page.bytes()) ? End.RIGHT : End.WRONG_BODY;
            } catch (IOException e) {
                close();
                return e instanceof SocketTimeoutException ? End.LATE : End.FAILED;
            }
        }

        @Override
        public void close() {
            var open = client;
            client = null;
            if (open != null) {
                open.close();
            }
        }
    }
}
