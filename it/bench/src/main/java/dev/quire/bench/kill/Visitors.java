package dev.quire.bench.kill;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/**
 * Clients that ask for each of many URLs once, on several connections.
 *
 * @param connections each has a thread
 */
public record Visitors(int connections) {
    /** Requests that a client sends before it reads the responses. */
    private static final int PIPELINED = 16;

    /** Prime, and larger than any number of URLs, so that each URL has one turn. */
    private static final long STRIDE = 10_000_019;

    /**
     * The responses that clients received.
     *
     * @param hits by the field Cache-Status
     * @param wrong bodies that are not undamaged ones of their URL, or of an unexpected version
     * @param failed responses of another status than 200
     */
    public record Visit(long hits, long wrong, long failed) {
        Visit plus(Visit other) {
            return new Visit(hits + other.hits, wrong + other.wrong, failed + other.failed);
        }
    }

    /** Whether a version may be served. */
    @FunctionalInterface
    public interface Expectation {
        boolean allows(String url, long version);
    }

    /** Asks for the targets 0 to {@code count} of {@code host}. */
    public Visit visit(
            int port, String host, int count, IntFunction<String> target, Expectation expectation)
            throws IOException, InterruptedException {
        try (var pool = Executors.newFixedThreadPool(connections)) {
            var parts = new ArrayList<Future<Visit>>();
            for (int i = 0; i < connections; i++) {
                int first = i;
                parts.add(pool.submit(() -> visit(port, host, first, count, target, expectation)));
            }
            var sum = new Visit(0, 0, 0);
            for (var part : parts) {
                sum = sum.plus(part.get());
            }
            return sum;
        } catch (ExecutionException e) {
            throw new IOException("a client failed: " + e.getCause(), e);
        }
    }

    private Visit visit(
            int port,
            String host,
            int first,
            int count,
            IntFunction<String> target,
            Expectation expectation)
            throws IOException {
        var sum = new Visit(0, 0, 0);
        try (var client = new Client(port)) {
            var targets = new ArrayList<String>();
            for (int turn = first; turn < count; turn += connections) {
                targets.add(target.apply((int) (turn * STRIDE % count)));
                if (targets.size() == PIPELINED || turn + connections >= count) {
                    sum = sum.plus(ask(client, host, targets, expectation));
                    targets.clear();
                }
            }
        }
        return sum;
    }

    private static Visit ask(
            Client client, String host, List<String> targets, Expectation expectation)
            throws IOException {
        var requests = new StringBuilder();
        targets.forEach(target -> requests.append(Client.request(host, target)));
        client.send(requests.toString());
        var sum = new Visit(0, 0, 0);
        for (var target : targets) {
            sum = sum.plus(judge(client.receive(), host + target, expectation));
        }
        return sum;
    }

    /** Judges one response. */
    static Visit judge(Client.Answer answer, String url, Expectation expectation) {
        if (answer.status() != 200) {
            return new Visit(0, 0, 1);
        }
        var version = StampedBody.version(url, answer.body());
        boolean isRight = version.isPresent() && expectation.allows(url, version.getAsLong());
        return new Visit(answer.isHit() ? 1 : 0, isRight ? 0 : 1, 0);
    }
}
