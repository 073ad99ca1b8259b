package dev.quire.bench.fleet;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import dev.quire.bench.MeasuredLimits;
import dev.quire.bench.OwnedFolder;
import dev.quire.bench.Percentiles;
import dev.quire.bench.Root;
import dev.quire.bench.kill.Client;
import dev.quire.bench.kill.KilledProxy.Launch;
import dev.quire.bench.kill.StampedOrigin;
import dev.quire.bench.kill.StampedOrigin.Resource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.commons.cli.Options;

/**
 * {@code bin/bench sharing}: two proxies with one store. Pages that one node has fetched are asked
 * of the other; many clients ask both for a cold page; and the store does not answer.
 */
public final class Sharing {
    private static final int FRAGMENTS = 4;
    private static final int BYTES = 1000;
    private static final Duration COLD_DELAY = Duration.ofMillis(300);
    private static final int HITS = 2000;
    private static final int MISSES = 50;

    /** Most of what a store that does not answer may add to a miss, in milliseconds. */
    private static final double MOST_ADDED = 20;

    /** The most cold pages in a hundred that are fetched twice. */
    private static final double MOST_TWICE = 0.02;

    private final Fleet fleet;
    private final StampedOrigin origin;
    private final MeasuredLimits limits = new MeasuredLimits();
    private int misses;

    private Sharing(Fleet fleet, StampedOrigin origin) {
        this.fleet = fleet;
        this.origin = origin;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Arguments.run(
                "bin/bench sharing",
                "Shows what two proxies share by one store. Exit status 1 if a limit does not"
                        + " hold.",
                options(),
                arguments,
                Sharing::run);
    }

    private static Options options() {
        return new Options()
                .addOption(Arguments.taking("pages", "N", "Asked of both nodes (default 1000)."))
                .addOption(
                        Arguments.taking("clients", "N", "That ask for a cold page (default 500)."))
                .addOption(Arguments.taking("rounds", "N", "Cold pages (default 100)."))
                .addOption(
                        Arguments.taking(
                                "store", "PROGRAM", "Redis or Valkey (default redis-server)."))
                .addOption(null, "without-store", false, "Nodes that share nothing.")
                .addOption(Arguments.takingDirectory());
    }

    private static Resource resource(String url) {
        var path = url.substring(url.indexOf('/'));
        if (path.startsWith("/page/")) {
            var fragments =
                    IntStream.range(0, FRAGMENTS)
                            .mapToObj(i -> path.replace("/page/", "/fragment/") + "-" + i)
                            .toList();
            return new Resource(BYTES, "page", "max-age=3600", fragments, Duration.ZERO);
        }
        return path.startsWith("/cold/")
                ? new Resource(BYTES, "cold", "max-age=3600", List.of(), COLD_DELAY)
                : new Resource(BYTES, "other");
    }

    private static int run(Arguments arguments)
            throws CannotMeasure, IOException, InterruptedException {
        int pages = arguments.number("pages", 1000, 1, 100_000);
        int clients = arguments.number("clients", 500, 2, 5000);
        int rounds = arguments.number("rounds", 100, 1, 10_000);
        boolean hasStore = !arguments.has("without-store");
        var terms =
                new Fleet.Terms(
                        2,
                        hasStore
                                ? Optional.of(arguments.value("store").orElse("redis-server"))
                                : Optional.empty(),
                        hasStore
                                ? Toxiproxy.build(Root.folder().resolve("it/bench"))
                                : Optional.empty(),
                        false,
                        "cache: { memory: 256MiB }\n");
        try (var folder = OwnedFolder.in(arguments.directory());
                var origin = StampedOrigin.start(Sharing::resource);
                var fleet =
                        Fleet.start(
                                terms,
                                Launch.script(Root.folder()),
                                folder.path(),
                                origin.port())) {
            var sharing = new Sharing(fleet, origin);
            sharing.pages(pages);
            sharing.cold(clients, rounds);
            if (hasStore) {
                sharing.disturbed();
            }
            return sharing.limits.ended();
        }
    }

    /** Asks one node for all pages, then the other. */
    private void pages(int count) throws IOException {
        long first = pages(0, count, new ArrayList<>());
        var heads = new ArrayList<String>();
        long second = pages(1, count, heads);
        long shared = heads.stream().filter(head -> head.contains("detail=shared")).count();
        System.out.printf("origin requests for %,d pages at one node      %,d%n", count, first);
        limits.check(
                second == 0,
                "origin requests for the same at the other       %,d, limit 0".formatted(second));
        limits.check(
                shared == count,
                "pages that are from the shared tier            %,d, expected %,d"
                        .formatted(shared, count));
    }

    /** Returns the number of requests at the origin. */
    private long pages(int node, int count, List<String> heads) throws IOException {
        long before = origin.requests();
        try (var client = new Client(fleet.node(node).port())) {
            for (int i = 0; i < count; i++) {
                var answer = client.get(FleetSite.HOST, "/page/" + i);
                expect200(answer);
                heads.add(answer.head());
            }
        }
        return origin.requests() - before;
    }

    private void expect200(Client.Answer answer) {
        if (answer.status() != 200) {
            limits.failed("status %d, expected 200".formatted(answer.status()));
        }
    }

    /** Many clients ask both nodes for one page at once. */
    private void cold(int clients, int rounds) throws IOException, InterruptedException {
        var requests = new ArrayList<Double>();
        var open = new ArrayList<Client>();
        try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < clients; i++) {
                open.add(new Client(fleet.node(i % fleet.size()).port()));
            }
            for (int round = 0; round < rounds; round++) {
                var target = "/cold/" + round;
                long before = origin.requests();
                var start = new CountDownLatch(1);
                var asking = new ArrayList<Future<Client.Answer>>();
                for (var client : open) {
                    asking.add(
                            pool.submit(
                                    (Callable<Client.Answer>)
                                            () -> {
                                                start.await();
                                                return client.get(FleetSite.HOST, target);
                                            }));
                }
                start.countDown();
                for (var answer : asking) {
                    expect200(answer.get());
                }
                requests.add((double) (origin.requests() - before));
            }
        } catch (ExecutionException e) {
            throw new IOException("a client failed: " + e.getCause(), e);
        } finally {
            open.forEach(Client::close);
        }
        long twice = requests.stream().filter(count -> count > 1).count();
        limits.check(
                Percentiles.of(requests, 100) <= 2 && twice <= Math.ceil(MOST_TWICE * rounds),
                "origin requests for a cold page of %,d clients   median %.0f, most %.0f, more than 1 for %,d of %,d"
                        .formatted(
                                clients,
                                Percentiles.median(requests),
                                Percentiles.of(requests, 100),
                                twice,
                                rounds));
    }

    /** Times of hits and misses while the store does not answer, or answers badly. */
    private void disturbed() throws CannotMeasure, IOException, InterruptedException {
        var store = fleet.store().orElseThrow();
        // For the compiler.
        times();
        var usual = times();
        print("undisturbed", usual, usual);
        store.suspend();
        try {
            print("store stopped", times(), usual);
        } finally {
            store.resume();
        }
        recover();
        store.kill();
        print("store killed", times(), usual);
        store.restart();
        recover();
        if (fleet.toxiproxy().isPresent()) {
            network("latency", "\"latency\":500", usual);
            network("slicer", "\"average_size\":64,\"size_variation\":32,\"delay\":10", usual);
            network("reset_peer", "\"timeout\":0", usual);
        }
    }

    private void network(String type, String attributes, Times usual)
            throws IOException, InterruptedException {
        var toxiproxy = fleet.toxiproxy().orElseThrow();
        toxiproxy.poison(0, type, attributes);
        try {
            print(type, times(), usual);
        } finally {
            toxiproxy.heal(0);
        }
        recover();
    }

    /** Waits until the second node finds in the store what the first one has fetched. */
    private void recover() throws IOException, InterruptedException {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (System.nanoTime() - end < 0) {
            var target = "/other/" + misses++;
            try (var one = new Client(fleet.node(0).port());
                    var other = new Client(fleet.node(1).port())) {
                one.get(FleetSite.HOST, target);
                Thread.sleep(100);
                if (other.get(FleetSite.HOST, target).head().contains("detail=shared")) {
                    return;
                }
            }
        }
        limits.failed("the shared tier is not used again after 30 s");
    }

    /** In milliseconds. */
    private record Times(List<Double> hits, List<Double> misses) {}

    private Times times() throws IOException {
        var hits = new ArrayList<Double>();
        var missed = new ArrayList<Double>();
        try (var client = new Client(fleet.node(0).port())) {
            expect200(client.get(FleetSite.HOST, "/other/hit"));
            for (int i = 0; i < MISSES; i++) {
                missed.add(time(client, "/other/" + misses++));
                for (int hit = 0; hit < HITS / MISSES; hit++) {
                    hits.add(time(client, "/other/hit"));
                }
            }
        }
        return new Times(hits, missed);
    }

    private double time(Client client, String target) throws IOException {
        long begun = System.nanoTime();
        expect200(client.get(FleetSite.HOST, target));
        return (System.nanoTime() - begun) / 1e6;
    }

    private void print(String what, Times times, Times usual) {
        double added = Percentiles.median(times.misses()) - Percentiles.median(usual.misses());
        limits.check(
                added <= MOST_ADDED,
                "%-14s hit median %.3f p99 %.2f ms; miss first %.1f median %.2f most %.1f ms, median %+.1f, limit %.0f"
                        .formatted(
                                what,
                                Percentiles.median(times.hits()),
                                Percentiles.of(times.hits(), 99),
                                times.misses().getFirst(),
                                Percentiles.median(times.misses()),
                                Percentiles.of(times.misses(), 100),
                                added,
                                MOST_ADDED));
    }
}
