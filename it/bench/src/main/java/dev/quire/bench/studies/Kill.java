package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.OwnedFolder;
import dev.quire.bench.kill.Client;
import dev.quire.bench.peers.OriginProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * SIGKILL for the process that serves, while clients read all pages of a news site at random: the
 * time until the first response, until 95 % of the requests are hits again, and requests at the
 * origin.
 */
final class Kill {
    private static final String QUIRE = "Quire (disk)";
    private static final int READERS = 8;
    private static final long TICK_MILLIS = 100;

    /** Ticks over which the hit rate is computed. */
    private static final int WINDOW = 5;

    private static final double HITS = 0.95;
    private static final double FIRST_SECONDS = 1.5;
    private static final double HITS_SECONDS = 3;
    private static final double ORIGIN_PERCENT = 1;
    private static final Duration RETRY = Duration.ofMillis(20);

    /**
     * A server.
     *
     * @param supervised whether its own parent process starts it again
     */
    private record Setup(String script, boolean supervised, String dialect, String storage) {}

    private static Map<String, Setup> setups(boolean isShort) {
        var setups = new LinkedHashMap<String, Setup>();
        setups.put("Varnish", new Setup("varnish", true, "esi", "malloc"));
        if (!isShort) {
            setups.put("Varnish (file)", new Setup("varnish", true, "esi", "file"));
            setups.put("nginx", new Setup("nginx", false, "ssi", ""));
            setups.put("Quire", new Setup("quire", false, "esi", ""));
        }
        setups.put(QUIRE, new Setup("quire-tiers", false, "esi", ""));
        return setups;
    }

    /**
     * The result of one kill; seconds from the kill, NaN if it was not reached.
     *
     * @param cpuMicros CPU time of the server per request, from the kill
     */
    private record Recovery(
            double firstSeconds, double hitsSeconds, long originRequests, double cpuMicros) {}

    private Kill() {}

    static void measure(Stage stage, PartResults found)
            throws CannotMeasure, IOException, InterruptedException {
        var origin = stage.grounds().origin();
        int articles = stage.extent().of(20_000, 200);
        var text =
                new StringBuilder(
                        "| | first response | 95 % hits | requests at the origin | CPU per request |\n| --- | --: | --: | --: | --: |\n");
        for (var each : setups(stage.extent().isShort()).entrySet()) {
            var setup = each.getValue();
            var name = "kill-" + each.getKey().replaceAll("\\W+", "-");
            var disk = Files.createDirectories(stage.grounds().disk().resolve(name));
            var variables =
                    Map.of(
                            "QUIRE_BENCH_MIB",
                            "1024",
                            "QUIRE_BENCH_DISK",
                            disk.toString(),
                            "QUIRE_BENCH_STORE",
                            disk.resolve("store").toString(),
                            "QUIRE_BENCH_STORAGE",
                            setup.storage().equals("file")
                                    ? "file," + disk.resolve("storage")
                                    : "malloc");
            try (var server =
                    RestartedServer.start(stage, setup.script(), name, origin.port(), variables)) {
                var base = "/news/" + setup.dialect() + "/article/";
                var arm = new Arm(each.getKey(), "", server.port(), base, server.running(), 0);
                var visit = Visit.ofPages(base, articles);
                visit.untilStored(stage, arm, origin::requests);
                settle(stage, disk);
                var recovery = recovery(stage, setup, server, origin, base, articles);
                double percent = 100.0 * recovery.originRequests() / articles;
                stage.say("kill: %s, %s, %.1f %%".formatted(arm.name(), recovery, percent));
                text.append(
                        "| %s | %s | %s | %,d, %.1f %% of the pages | %s |%n"
                                .formatted(
                                        arm.name(),
                                        seconds(recovery.firstSeconds()),
                                        seconds(recovery.hitsSeconds()),
                                        recovery.originRequests(),
                                        percent,
                                        Tables.micros(recovery.cpuMicros())));
                if (arm.name().equals(QUIRE)) {
                    claims(recovery, percent).forEach(found::claim);
                }
                visit.once(
                        stage,
                        new Arm(each.getKey(), "", server.port(), base, server.running(), 0));
            }
        }
        found.table("kill", text.toString());
    }

    private static List<Claim> claims(Recovery recovery, double percent) {
        return List.of(
                Claim.atMost(
                        QUIRE + " after SIGKILL: first response within 1.5 s",
                        recovery.firstSeconds(),
                        FIRST_SECONDS,
                        "s"),
                Claim.atMost(
                        QUIRE + " after SIGKILL: 95 % hits within 3 s",
                        recovery.hitsSeconds(),
                        HITS_SECONDS,
                        "s"),
                Claim.atMost(
                        QUIRE
                                + " after SIGKILL: requests at the origin for at most 1 % of the pages",
                        percent,
                        ORIGIN_PERCENT,
                        "%"));
    }

    private static String seconds(double value) {
        return Double.isNaN(value) ? "not reached" : "%.1f s".formatted(value);
    }

    /** Waits until the files of the cache have not grown for some seconds. */
    private static void settle(Stage stage, Path disk) throws IOException, InterruptedException {
        var quiet = Duration.ofSeconds(stage.extent().of(3, 1));
        long size = -1;
        long since = System.nanoTime();
        while (System.nanoTime() - since < quiet.toNanos()) {
            long now = OwnedFolder.fileBytes(disk);
            if (now != size) {
                size = now;
                since = System.nanoTime();
            }
            TimeUnit.MILLISECONDS.sleep(TICK_MILLIS);
        }
    }

    private static Recovery recovery(
            Stage stage,
            Setup setup,
            RestartedServer server,
            OriginProcess origin,
            String base,
            int articles)
            throws IOException, InterruptedException {
        var answered = new LongAdder();
        var first = new AtomicLong(Long.MAX_VALUE);
        var isOver = new AtomicBoolean();
        var isKilled = new AtomicBoolean();
        try (var pool = Executors.newFixedThreadPool(READERS)) {
            var readers = new ArrayList<CompletableFuture<Void>>();
            for (int reader = 0; reader < READERS; reader++) {
                var random = new Random(reader);
                readers.add(
                        CompletableFuture.runAsync(
                                () -> {
                                    while (!isOver.get()) {
                                        // A killed process may have left a response in the socket.
                                        boolean isAfter = isKilled.get();
                                        read(
                                                server.port(),
                                                base,
                                                articles,
                                                random,
                                                () -> {
                                                    answered.increment();
                                                    if (isAfter) {
                                                        first.accumulateAndGet(
                                                                System.nanoTime(), Math::min);
                                                    }
                                                    return !isOver.get();
                                                });
                                    }
                                },
                                pool));
            }
            TimeUnit.SECONDS.sleep(stage.extent().of(3, 1));
            long originBefore = origin.requests();
            long answeredBefore = answered.sum();
            // The time of a killed child remains a part of that of its parent.
            var cpu = CpuTime.of(server.running());
            long killed = System.nanoTime();
            if (setup.supervised()) {
                server.killChildren();
            } else {
                server.killAndStart();
                cpu = CpuTime.of(server.running());
            }
            isKilled.set(true);
            double hits = Double.NaN;
            var asked = new ArrayList<Long>();
            var fetched = new ArrayList<Long>();
            boolean isShort = stage.extent().isShort();
            // A short run ends with the first hits.
            int ticks = (int) (stage.extent().of(20, 60) * 1000L / TICK_MILLIS);
            for (int tick = 0; tick < ticks && !(isShort && hits > 0); tick++) {
                TimeUnit.MILLISECONDS.sleep(TICK_MILLIS);
                asked.add(answered.sum());
                fetched.add(origin.requests());
                int begin = tick - WINDOW;
                if (Double.isNaN(hits) && begin >= 0 && first.get() != Long.MAX_VALUE) {
                    long requests = asked.get(tick) - asked.get(begin);
                    long misses = fetched.get(tick) - fetched.get(begin);
                    if (requests >= READERS * WINDOW && misses <= (1 - HITS) * requests) {
                        hits = (System.nanoTime() - killed) / 1e9;
                    }
                }
            }
            isOver.set(true);
            readers.forEach(CompletableFuture::join);
            double cpuMicros = cpu.microsPerRequest(answered.sum() - answeredBefore);
            double firstSeconds =
                    first.get() == Long.MAX_VALUE ? Double.NaN : (first.get() - killed) / 1e9;
            return new Recovery(firstSeconds, hits, origin.requests() - originBefore, cpuMicros);
        }
    }

    /** Called after each response; returns whether to go on. */
    @FunctionalInterface
    private interface After {
        boolean next();
    }

    /** Reads pages on one connection until it fails. */
    private static void read(int port, String base, int articles, Random random, After after) {
        try (var client = new Client(port)) {
            while (client.get("127.0.0.1:" + port, base + random.nextInt(articles)).status() == 200
                    && after.next()) {}
        } catch (IOException down) {
            // The server that starts needs the processors.
            LockSupport.parkNanos(RETRY.toNanos());
        }
    }
}
