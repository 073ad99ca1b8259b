package dev.quire.bench.simulation;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.fleet.Fleet;
import dev.quire.bench.fleet.Store;
import dev.quire.bench.kill.Client;
import dev.quire.bench.kill.KilledProxy.Launch;
import dev.quire.bench.kill.StampedOrigin;
import dev.quire.bench.kill.StampedOrigin.Resource;
import dev.quire.bench.simulation.Tally.Command;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sends the same requests and purges, at the same moments, to real proxies with one store and to
 * the model.
 */
final class Calibration {
    private static final String HOST = "fleet.example";
    private static final int NODES = 3;
    private static final int WORKERS = 32;
    private static final int WARM_UP = 200;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** More requests that are so late are another load. */
    private static final Duration LATE = Duration.ofMillis(500);

    private static final double MOST_LATE = 0.02;

    private static final Pattern CALLS = Pattern.compile("cmdstat_([a-z]+):calls=(\\d+),");

    private static final Pattern OBJECTS = Pattern.compile("\"memory\":\\{[^}]*\"objects\":(\\d+)");

    /** Returns the number of records, their length and memory; memory and length of the log. */
    private static final String RECORDS =
            """
            local count, length, memory = 0, 0, 0
            for _, key in ipairs(redis.call('KEYS', 'q1:{*}')) do
              if redis.call('TYPE', key).ok == 'string' and redis.call('STRLEN', key) > 64 then
                count = count + 1
                length = length + redis.call('STRLEN', key)
                memory = memory + redis.call('MEMORY', 'USAGE', key)
              end
            end
            return {count, length, memory,
              redis.call('MEMORY', 'USAGE', 'q1:{log}', 'SAMPLES', 0), redis.call('XLEN', 'q1:{log}')}
            """;

    /** An entry for the time at which a key expires, which MEMORY USAGE does not contain. */
    private static final double EXPIRY_BYTES = 40;

    private final Load load;
    private final Fleet fleet;
    private final StampedOrigin origin;

    /** A request, or a purge, that is due. */
    private record Due(long time, int node, int object, boolean isPurge) {}

    /**
     * The figures of a run.
     *
     * @param inMemory objects in the memory of a real node at the end, on average
     * @param sizes of a real store; null of a simulated one
     */
    record Figures(long origin, Map<Command, Long> commands, int inMemory, @Nullable Sizes sizes) {
        Figures {
            commands = Map.copyOf(commands);
        }

        static Figures of(Tally run) {
            var commands = new EnumMap<Command, Long>(Command.class);
            for (var command : Command.values()) {
                commands.put(command, run.commands(command));
            }
            return new Figures(run.origin(), commands, 0, null);
        }

        long all() {
            return commands.values().stream().mapToLong(each -> each).sum();
        }
    }

    /**
     * The needs of a store, on average.
     *
     * @param micros the time of a processor for a request
     * @param recordBytes of a record without its body
     * @param recordMemory the same with all that the store adds
     * @param entryMemory of an invalidation in the log
     */
    record Sizes(double micros, double recordBytes, double recordMemory, double entryMemory) {}

    private Calibration(Load load, Fleet fleet, StampedOrigin origin) {
        this.load = load;
        this.fleet = fleet;
        this.origin = origin;
    }

    /** A load for three proxies on one machine, whose memory has room for all objects. */
    static Load load(Duration duration, long seed) {
        return new Load(
                NODES,
                1000,
                300,
                1,
                0.9,
                1000,
                4096,
                Duration.ofSeconds(12),
                Duration.ofMillis(30),
                Duration.ZERO,
                duration,
                1,
                seed);
    }

    /**
     * How the proxies are started.
     *
     * @param store the program
     * @param memory of each, as in the configuration
     */
    record Terms(Launch launch, String store, String memory) {}

    /** Runs {@code load} with real processes. */
    static Figures measure(Load load, Terms with, Path folder)
            throws CannotMeasure, IOException, InterruptedException {
        var terms =
                new Fleet.Terms(
                        load.nodes(),
                        Optional.of(with.store()),
                        Optional.empty(),
                        false,
                        "cache: { memory: %s }\n".formatted(with.memory()));
        try (var origin = StampedOrigin.start(url -> resource(load));
                var fleet = Fleet.start(terms, with.launch(), folder, origin.port())) {
            return new Calibration(load, fleet, origin).measured();
        }
    }

    private static Resource resource(Load load) {
        return new Resource(
                load.objectBytes(),
                "all",
                "max-age=" + load.lifetime().toSeconds(),
                List.of(),
                load.origin());
    }

    private Figures measured() throws CannotMeasure, IOException, InterruptedException {
        awaitFleet();
        // For the compiler.
        warmUp();
        var due = due();
        var store = fleet.store().orElseThrow();
        store.cli("CONFIG", "RESETSTAT");
        long requests = origin.requests();
        double cpu = store.cpuSeconds();
        send(due);
        var commands = commands(store);
        long asked =
                commands.getOrDefault(Command.GETRANGE, 0L)
                        + commands.getOrDefault(Command.EVALSHA, 0L);
        return new Figures(
                origin.requests() - requests,
                commands,
                inMemory(),
                sizes(store, 1e6 * (store.cpuSeconds() - cpu) / Math.max(1, asked)));
    }

    /** Until all nodes take part in the log: the shared store is used then. */
    private void awaitFleet() throws CannotMeasure, IOException, InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        for (int i = 0; i < fleet.size(); i++) {
            while (!fleet.node(i).admin("/v1/fleet").text().contains("\"state\":\"current\"")) {
                if (System.nanoTime() > end) {
                    throw new CannotMeasure(
                            Fleet.name(i) + " does not read the log: " + fleet.node(i).output());
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    private void warmUp() throws IOException {
        for (int node = 0; node < fleet.size(); node++) {
            try (var client = new Client(fleet.node(node).port())) {
                for (int i = 0; i < WARM_UP; i++) {
                    get(client, "/warm-up/" + node + "-" + i / 4);
                }
            }
        }
    }

    private List<Due> due() {
        var due = new ArrayList<Due>();
        var timeline = new Timeline();
        new Arrivals(load)
                .each(
                        timeline,
                        (node, object) -> due.add(new Due(timeline.now(), node, object, false)),
                        (node, object) -> due.add(new Due(timeline.now(), node, object, true)));
        timeline.run();
        return due;
    }

    private void send(List<Due> due) throws CannotMeasure, IOException, InterruptedException {
        var next = new AtomicInteger();
        var late = new AtomicInteger();
        var connected = new CountDownLatch(WORKERS);
        var start = new CompletableFuture<Long>();
        var sending = new ArrayList<Future<Boolean>>();
        try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < WORKERS; i++) {
                sending.add(pool.submit(worker(due, next, late, connected, start)));
            }
            if (!connected.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("the clients do not connect");
            }
            start.complete(System.nanoTime());
            for (var each : sending) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("a client failed: " + e.getCause(), e);
        }
        long rest = start.join() + load.end() - System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(Math.max(0, rest));
        if (late.get() > MOST_LATE * due.size()) {
            throw new CannotMeasure(
                    ("%,d of %,d requests were sent more than %d ms late (expected a machine"
                                    + " with less other work)")
                            .formatted(late.get(), due.size(), LATE.toMillis()));
        }
    }

    private Callable<Boolean> worker(
            List<Due> due,
            AtomicInteger next,
            AtomicInteger late,
            CountDownLatch connected,
            CompletableFuture<Long> start) {
        return () -> {
            var clients = new ArrayList<Client>();
            try {
                for (int node = 0; node < fleet.size(); node++) {
                    clients.add(new Client(fleet.node(node).port()));
                }
                connected.countDown();
                long begun = start.join();
                for (int i = next.getAndIncrement(); i < due.size(); i = next.getAndIncrement()) {
                    var one = due.get(i);
                    long wait = begun + one.time() - System.nanoTime();
                    TimeUnit.NANOSECONDS.sleep(Math.max(0, wait));
                    if (-wait > LATE.toNanos()) {
                        late.incrementAndGet();
                    }
                    if (one.isPurge()) {
                        purge(one);
                    } else {
                        get(clients.get(one.node()), target(one.object()));
                    }
                }
                return true;
            } finally {
                clients.forEach(Client::close);
            }
        };
    }

    private static String target(int object) {
        return "/object/" + object;
    }

    private static void get(Client client, String target) throws IOException {
        var answer = client.get(HOST, target);
        if (answer.status() != 200) {
            throw new IOException("expected status 200, found " + answer.head());
        }
    }

    private void purge(Due one) throws IOException {
        var url = HOST + target(one.object());
        origin.change(url);
        var answer =
                fleet.node(one.node())
                        .admin(
                                "/v1/purge",
                                "{\"urls\":[\"http://%s\"],\"count\":false}".formatted(url));
        if (answer.status() != 200) {
            throw new IOException("expected a purge, found " + answer.head() + answer.text());
        }
    }

    private int inMemory() throws IOException {
        int all = 0;
        for (int i = 0; i < fleet.size(); i++) {
            var found = OBJECTS.matcher(fleet.node(i).admin("/v1/tiers").text());
            if (!found.find()) {
                throw new IOException("expected the number of objects in memory");
            }
            all += Integer.parseInt(found.group(1));
        }
        return all / fleet.size();
    }

    private Sizes sizes(Store store, double micros) throws IOException, InterruptedException {
        var found = store.cli("EVAL", RECORDS, "0").split("\n", -1);
        double records = Math.max(1, Double.parseDouble(found[0]));
        return new Sizes(
                micros,
                Double.parseDouble(found[1]) / records - load.objectBytes(),
                Double.parseDouble(found[2]) / records + EXPIRY_BYTES - load.objectBytes(),
                Double.parseDouble(found[3]) / Math.max(1, Double.parseDouble(found[4])));
    }

    private static Map<Command, Long> commands(Store store)
            throws IOException, InterruptedException {
        var calls = new EnumMap<Command, Long>(Command.class);
        var found = CALLS.matcher(store.cli("INFO", "commandstats"));
        while (found.find()) {
            for (var command : Command.values()) {
                if (command.name().toLowerCase(Locale.ROOT).equals(found.group(1))) {
                    calls.put(command, Long.parseLong(found.group(2)));
                }
            }
        }
        return calls;
    }
}
