package dev.quire.bench.fleet;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import dev.quire.bench.MeasuredLimits;
import dev.quire.bench.OwnedFolder;
import dev.quire.bench.Percentiles;
import dev.quire.bench.Root;
import dev.quire.bench.fleet.Event.Ack;
import dev.quire.bench.kill.Client;
import dev.quire.bench.kill.KilledProxy;
import dev.quire.bench.kill.KilledProxy.Launch;
import dev.quire.bench.kill.StampedBody;
import dev.quire.bench.kill.StampedOrigin;
import dev.quire.bench.kill.StampedOrigin.Resource;
import dev.quire.bench.kill.Visitors;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.cli.Options;

/**
 * {@code bin/bench purges}: what a purge costs in a fleet. Times of answers by the number of
 * objects that are covered; reads right after answers with {@code ack: fleet}; and requests at the
 * origin when a page in demand at all nodes is purged.
 */
public final class Purges implements AutoCloseable {
    private static final String ALL = "all";
    private static final String HOT = "/hot";

    /** Objects that have a tag of their own. */
    private static final int SINGLE = 2000;

    private static final int HOT_CLIENTS = 8;
    private static final Duration HOT_DELAY = Duration.ofMillis(100);
    private static final Duration FANNING = Duration.ofMinutes(1);
    private static final Duration WATCHING = Duration.ofSeconds(1);
    private static final double MOST_RATIO = 1.2;
    private static final int VISITORS = 8;

    private final Fleet fleet;
    private final StampedOrigin origin;
    private final Counted hot;
    private final boolean takesAck;

    /** A connection to the admin API of each node. */
    private final List<Client> admins = new ArrayList<>();

    private final MeasuredLimits limits = new MeasuredLimits();

    /** Requests for one URL at the origin. */
    private record Counted(AtomicLong requests) {
        Resource resource(String url, int bytes) {
            if (url.endsWith(HOT)) {
                requests.incrementAndGet();
                return new Resource(bytes, "hot", "max-age=3600", List.of(), HOT_DELAY);
            }
            int number = Integer.parseInt(url.substring(url.lastIndexOf('/') + 1));
            return url.contains("/single/")
                    ? new Resource(bytes, "single-" + number)
                    : new Resource(bytes, ALL);
        }
    }

    private Purges(Fleet fleet, StampedOrigin origin, Counted hot) {
        this.fleet = fleet;
        this.origin = origin;
        this.hot = hot;
        this.takesAck = fleet.store().isPresent();
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Arguments.run(
                "bin/bench purges",
                "Measures the cost of purges in a fleet of three proxies with one store."
                        + " Exit status 1 if a limit does not hold.",
                options(),
                arguments,
                Purges::run);
    }

    private static Options options() {
        return new Options()
                .addOption(
                        Arguments.taking(
                                "objects", "N", "Covered by the large purges (default 100000)."))
                .addOption(Arguments.taking("rounds", "N", "Of large purges (default 11)."))
                .addOption(
                        Arguments.taking(
                                "fleet",
                                "N",
                                "Purges with ack fleet that are followed by reads at"
                                        + " all nodes (default 10000)."))
                .addOption(Arguments.taking("hot", "N", "Purges of a hot page (default 20)."))
                .addOption(
                        Arguments.taking(
                                "receivers",
                                "N",
                                "Receivers of the log beside the nodes, while 100 purges a second"
                                        + " are made for a minute; nothing else is measured."))
                .addOption(
                        Arguments.taking(
                                "store", "PROGRAM", "Redis or Valkey (default redis-server)."))
                .addOption(null, "without-store", false, "Nodes that share nothing.")
                .addOption(Arguments.takingDirectory());
    }

    private static int run(Arguments arguments)
            throws CannotMeasure, IOException, InterruptedException {
        int objects = arguments.number("objects", 100_000, 1, 1_000_000);
        int rounds = arguments.number("rounds", 11, 1, 1000);
        int answers = arguments.number("fleet", 10_000, 1, 1_000_000);
        int herds = arguments.number("hot", 20, 1, 1000);
        int receivers = arguments.number("receivers", 0, 0, 10_000);
        var store =
                arguments.has("without-store")
                        ? Optional.<String>empty()
                        : Optional.of(arguments.value("store").orElse("redis-server"));
        var hot = new Counted(new AtomicLong());
        var terms =
                new Fleet.Terms(3, store, Optional.empty(), false, "cache: { memory: 512MiB }\n");
        try (var folder = OwnedFolder.in(arguments.directory());
                var origin = StampedOrigin.start(url -> hot.resource(url, 100));
                var fleet =
                        Fleet.start(
                                terms,
                                Launch.script(Root.folder()),
                                folder.path(),
                                origin.port())) {
            try (var purges = new Purges(fleet, origin, hot)) {
                if (receivers > 0) {
                    new FanOut(fleet, purges.limits).measure(receivers, FANNING);
                    return purges.limits.ended();
                }
                purges.costs(objects, rounds);
                purges.answers(answers);
                purges.herds(herds);
                return purges.limits.ended();
            }
        }
    }

    /** Connects again, since an idle connection does not last as long as a store takes to fill. */
    private void connect() throws IOException {
        close();
        admins.clear();
        for (int node = 0; node < fleet.size(); node++) {
            admins.add(new Client(fleet.node(node).adminPort()));
        }
    }

    @Override
    public void close() {
        admins.forEach(Client::close);
    }

    /** Compares purges that cover one object with purges that cover many. */
    private void costs(int objects, int rounds) throws IOException, InterruptedException {
        int singles = Math.min(SINGLE, objects);
        connect();
        for (int number = 0; number < singles / 2; number++) {
            purge(0, "tags", "single-" + number, Ack.LOG);
        }
        var small = new ArrayList<Double>();
        var large = new ArrayList<Double>();
        for (int round = 0; round < rounds; round++) {
            for (int node = 0; node < fleet.size(); node++) {
                fill(node, "/item/", objects);
                fill(node, "/single/", singles);
            }
            connect();
            // The large one is in the middle, so that both find the same machine.
            int each = 10;
            for (int i = 0; i < each; i++) {
                int number = (round * each + i) % singles;
                small.add(purge(0, "tags", "single-" + number, Ack.LOG));
                if (i == each / 2) {
                    large.add(purge(0, "tags", ALL, Ack.LOG));
                }
            }
        }
        double ratio = Percentiles.median(large) / Percentiles.median(small);
        System.out.printf(
                "answer to a purge of 1 object                  median %.3f ms, %,d purges%n",
                Percentiles.median(small), small.size());
        System.out.printf(
                "answer to a purge of %,7d objects            median %.3f ms, %,d purges%n",
                objects, Percentiles.median(large), large.size());
        limits.check(ratio <= MOST_RATIO, "ratio %.2f, limit %.1f".formatted(ratio, MOST_RATIO));
    }

    private void fill(int node, String path, int count) throws IOException, InterruptedException {
        var visit =
                new Visitors(VISITORS)
                        .visit(
                                fleet.node(node).port(),
                                FleetSite.HOST,
                                count,
                                number -> path + number,
                                (url, version) -> true);
        if (visit.failed() + visit.wrong() > 0) {
            throw new IOException("%s cannot be filled: %s".formatted(Fleet.name(node), visit));
        }
    }

    /** Reads at all nodes right after each answer with {@code ack: fleet}. */
    private void answers(int count) throws IOException {
        connect();
        var times = new ArrayList<Double>();
        long stale = 0;
        var clients = new ArrayList<Client>();
        try {
            for (int node = 0; node < fleet.size(); node++) {
                clients.add(new Client(fleet.node(node).port()));
            }
            for (int i = 0; i < count; i++) {
                var target = "/item/" + i % 100;
                var url = FleetSite.HOST + target;
                for (var client : clients) {
                    client.get(FleetSite.HOST, target);
                }
                long version = origin.change(url);
                times.add(purge(i % fleet.size(), "urls", "http://" + url, Ack.FLEET));
                for (var client : clients) {
                    var answer = client.get(FleetSite.HOST, target);
                    stale += StampedBody.version(url, answer.body()).orElse(0) < version ? 1 : 0;
                }
            }
        } finally {
            clients.forEach(Client::close);
        }
        System.out.printf(
                "answer with ack fleet                          median %.2f ms, p99 %.2f ms%n",
                Percentiles.median(times), Percentiles.of(times, 99));
        limits.check(
                stale == 0,
                "stale reads after %,d of them                %,d, limit 0"
                        .formatted(count, stale));
    }

    /** Purges a page that many clients of all nodes ask for. */
    private void herds(int count) throws IOException, InterruptedException {
        connect();
        var isOver = new AtomicBoolean();
        var threads = new ArrayList<Thread>();
        for (int node = 0; node < fleet.size(); node++) {
            int port = fleet.node(node).port();
            for (int i = 0; i < HOT_CLIENTS; i++) {
                threads.add(Thread.ofPlatform().start(() -> ask(port, isOver)));
            }
        }
        var requests = new ArrayList<Double>();
        for (int i = 0; i < count; i++) {
            Thread.sleep(WATCHING);
            long before = hot.requests().get();
            purge(i % fleet.size(), "urls", "http://" + FleetSite.HOST + HOT, Ack.LOG);
            Thread.sleep(WATCHING);
            requests.add((double) (hot.requests().get() - before));
        }
        isOver.set(true);
        for (var thread : threads) {
            thread.join();
        }
        System.out.printf(
                "origin requests after the purge of a hot page  median %.0f, most %.0f of %d purges%n",
                Percentiles.median(requests), Percentiles.of(requests, 100), count);
        limits.check(
                Percentiles.median(requests) == 1,
                "origin requests, median %.0f, expected 1".formatted(Percentiles.median(requests)));
    }

    private static void ask(int port, AtomicBoolean isOver) {
        try (var client = new Client(port)) {
            while (!isOver.get()) {
                client.get(FleetSite.HOST, HOT);
                Thread.sleep(2);
            }
        } catch (IOException e) {
            throw new IllegalStateException("expected answers until the end", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the time until the answer, in milliseconds. */
    private double purge(int node, String kind, String name, Ack ack) throws IOException {
        var json =
                "{\"%s\":[\"%s\"],\"count\":false%s}"
                        .formatted(
                                kind,
                                name,
                                takesAck ? ",\"ack\":\"%s\"".formatted(ack.word()) : "");
        long begun = System.nanoTime();
        var answer = admins.get(node).post(KilledProxy.LOCAL, "/v1/purge", json);
        double millis = (System.nanoTime() - begun) / 1e6;
        if (answer.status() != 200) {
            limits.failed("purge of %s: %d %s".formatted(name, answer.status(), answer.text()));
        }
        return millis;
    }
}
