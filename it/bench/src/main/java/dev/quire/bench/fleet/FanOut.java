package dev.quire.bench.fleet;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.MeasuredLimits;
import dev.quire.bench.Percentiles;
import dev.quire.bench.fleet.Event.Ack;
import dev.quire.bench.kill.Client;
import dev.quire.bench.kill.KilledProxy;
import dev.quire.proxy.fleet.LogId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/**
 * Purges at a fixed rate in a fleet whose log has many more receivers: how long each takes until
 * the last node and the last receiver have it, and the CPU time of the store.
 */
final class FanOut {
    private static final int PER_SECOND = 100;

    /** For the compilers of the nodes and of the receivers. */
    private static final Duration WARM_UP = Duration.ofSeconds(15);

    private static final double MOST_MILLIS = 100;
    private static final double MOST_BUSY = 0.5;
    private static final Pattern POSITION = Pattern.compile("\"position\":\"[0-9a-f]+/([0-9-]+)\"");

    private final Fleet fleet;
    private final MeasuredLimits limits;

    /** A purge that was due at a time, and was answered then. */
    private record Sent(long id, long due, long answered) {}

    FanOut(Fleet fleet, MeasuredLimits limits) {
        this.fleet = fleet;
        this.limits = limits;
    }

    void measure(int receivers, Duration time)
            throws CannotMeasure, IOException, InterruptedException {
        var store =
                fleet.store()
                        .orElseThrow(() -> new CannotMeasure("expected a store for --receivers"));
        awaitNodes();
        try (var subscribers = Subscribers.subscribe(store.port(), receivers)) {
            for (var purge : sendAll(System.nanoTime(), WARM_UP)) {
                subscribers.last(purge.id());
            }
            double cpu = store.cpuSeconds();
            long begun = System.nanoTime();
            var sent = sendAll(begun, time);
            double seconds = (System.nanoTime() - begun) / 1e9;
            double busy = (store.cpuSeconds() - cpu) / seconds;
            var times = new ArrayList<Double>();
            for (var purge : sent) {
                long last = Math.max(purge.answered(), subscribers.last(purge.id()));
                times.add((last - purge.due()) / 1e6);
            }
            System.out.printf(
                    "%,d purges at %,d/s until %,d nodes and %,d receivers have them: median %.2f ms%n",
                    times.size(), PER_SECOND, fleet.size(), receivers, Percentiles.median(times));
            double p99 = Percentiles.of(times, 99);
            limits.check(p99 <= MOST_MILLIS, "p99 %.2f ms, limit %.0f".formatted(p99, MOST_MILLIS));
            limits.check(
                    busy <= MOST_BUSY,
                    "CPU time of the store %.0f %%, limit %.0f %%"
                            .formatted(busy * 100, MOST_BUSY * 100));
        }
    }

    /** In the first seconds of a log not all nodes are known. */
    private void awaitNodes() throws IOException, InterruptedException {
        try (var admin = new Client(fleet.node(0).adminPort())) {
            while (admin.post(KilledProxy.LOCAL, "/v1/purge", json(0)).status() != 200) {
                TimeUnit.MILLISECONDS.sleep(500);
            }
        }
    }

    /** From all nodes in turn. */
    private List<Sent> sendAll(long begun, Duration time) throws IOException, InterruptedException {
        try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            var sending = new ArrayList<Future<List<Sent>>>();
            for (int node = 0; node < fleet.size(); node++) {
                sending.add(threads.submit(sender(node, begun, time)));
            }
            var all = new ArrayList<Sent>();
            for (var each : sending) {
                all.addAll(each.get());
            }
            return all;
        } catch (ExecutionException e) {
            throw new IOException("expected answers until the end", e.getCause());
        }
    }

    private Callable<List<Sent>> sender(int node, long begun, Duration time) {
        return () -> {
            var sent = new ArrayList<Sent>();
            long count = time.toSeconds() * PER_SECOND;
            try (var admin = new Client(fleet.node(node).adminPort())) {
                for (long i = node; i < count; i += fleet.size()) {
                    long due = begun + i * Duration.ofSeconds(1).toNanos() / PER_SECOND;
                    for (long left = due - System.nanoTime();
                            left > 0;
                            left = due - System.nanoTime()) {
                        LockSupport.parkNanos(left);
                    }
                    var answer = admin.post(KilledProxy.LOCAL, "/v1/purge", json(i));
                    var position = POSITION.matcher(answer.text());
                    if (answer.status() != 200 || !position.find()) {
                        throw new IOException(
                                "expected 200 with a position, found %d %s"
                                        .formatted(answer.status(), answer.text()));
                    }
                    long id = LogId.of(position.group(1));
                    sent.add(new Sent(id, due, System.nanoTime()));
                }
            }
            return sent;
        };
    }

    private static String json(long number) {
        // Each second one waits for the nodes too.
        var ack = number % PER_SECOND == 0 ? Ack.FLEET : Ack.LOG;
        return "{\"tags\":[\"fan-%d\"],\"count\":false,\"ack\":\"%s\"}"
                .formatted(number, ack.word());
    }
}
