package dev.quire.bench.fleet;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.kill.KilledProxy.Launch;
import dev.quire.bench.kill.StampedOrigin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * One run of a fleet under load while {@link Nemeses} disturb it.
 *
 * @param readsPerSecond at each node
 * @param purgesPerSecond at each node
 * @param onlyTags whether all invalidations are purges by tag
 */
public record Trial(
        Fleet.Terms terms,
        Duration duration,
        int readsPerSecond,
        double purgesPerSecond,
        boolean onlyTags,
        boolean isDisturbed,
        long seed) {

    private static final int READERS = 2;

    /** Among so many invalidations there is each kind. */
    private static final int MANY = 200;

    /**
     * The findings of a run.
     *
     * @param counts of reads by tier, of purges by answer, of disturbances and of errors
     * @param faults errors of clients, and events that were expected but absent
     * @param idle share of the machine's processors, from 0 to 1
     */
    public record Outcome(
            Verdict verdict,
            Map<String, Long> counts,
            List<String> faults,
            long originRequests,
            double idle) {
        public Outcome {
            counts = Map.copyOf(counts);
            faults = List.copyOf(faults);
        }

        public boolean isSound() {
            return verdict.isSound() && faults.isEmpty();
        }

        @Override
        public String toString() {
            var text = new StringBuilder(verdict + "\n");
            counts.entrySet().stream()
                    .sorted(Map.Entry.comparingByKey())
                    .forEach(count ->
                            text.append(
                                    "%-28s %,9d%n".formatted(count.getKey(), count.getValue())));
            text.append("%-28s %,9d%n".formatted("origin requests", originRequests));
            text.append("%-28s %9.0f %%%n".formatted("processors idle", idle * 100));
            faults.forEach(fault -> text.append("FAULT: ").append(fault).append('\n'));
            return text.toString().stripTrailing();
        }
    }

    /** Runs it with files in {@code folder}. */
    public Outcome run(Launch launch, Path folder)
            throws CannotMeasure, IOException, InterruptedException {
        try (var origin = StampedOrigin.start(FleetSite::resource);
                var fleet = Fleet.start(terms, launch, folder, origin.port())) {
            var run = new Run(fleet, origin, terms.hasDisk());
            var threads = new ArrayList<Thread>();
            var random = new SplittableRandom(seed);
            boolean takesAck = terms.hasLog();
            for (int i = 0; i < fleet.size(); i++) {
                int node = i;
                for (int reader = 0; reader < READERS; reader++) {
                    threads.add(
                            start(
                                    run,
                                    random.split(),
                                    clients -> clients.read(node, readsPerSecond / READERS)));
                }
                threads.add(
                        start(
                                run,
                                random.split(),
                                clients ->
                                        clients.purge(node, purgesPerSecond, onlyTags, takesAck)));
            }
            var kinds = isDisturbed ? Nemeses.possible(fleet) : List.<Nemesis>of();
            for (boolean isOfStore : new boolean[] {true, false}) {
                var some =
                        kinds.stream()
                                .filter(kind -> kind.target().isStore() == isOfStore)
                                .toList();
                if (!some.isEmpty()) {
                    var nemeses = new Nemeses(run, some, random.split());
                    threads.add(Thread.ofPlatform().name("nemeses").start(nemeses::disturb));
                }
            }
            var before = Processors.now();
            Thread.sleep(duration);
            double idle = Processors.now().idleSince(before);
            run.end();
            for (var thread : threads) {
                thread.join();
            }
            var counts = run.counts();
            var faults = new ArrayList<>(run.faults());
            faults.addAll(missing(counts, kinds));
            return new Outcome(run.history().verdict(), counts, faults, run.originRequests(), idle);
        }
    }

    private static Thread start(Run run, SplittableRandom random, Consumer<Clients> action) {
        return Thread.ofPlatform()
                .name("clients")
                .start(() -> {
                    try (var clients = new Clients(run, random)) {
                        action.accept(clients);
                    }
                });
    }

    /** Events without which the run proves little, and which are absent. */
    private List<String> missing(Map<String, Long> counts, List<Nemesis> kinds) {
        var missing = new ArrayList<String>();
        var expected = new ArrayList<>(List.of("read memory", "read origin"));
        if (terms.hasLog()) {
            expected.addAll(List.of("read shared", "purge log 200"));
        }
        // After a failover the nodes are not known for a lease: a short run may have none.
        if (terms.hasLog() && !kinds.contains(Nemesis.PRIMARY_KILLED)) {
            expected.add("purge fleet 200");
        }
        if (made(counts) >= MANY && !onlyTags) {
            expected.add("read stale");
            Arrays.stream(Way.values()).forEach(way -> expected.add(way.count()));
        }
        if (terms.hasDisk() && kinds.contains(Nemesis.NODE_KILLED_APART)) {
            expected.add(Invalidating.DURABLE);
        }
        if (kinds.contains(Nemesis.PRIMARY_KILLED)) {
            expected.add(Nemeses.ENTRIES_LOST);
        }
        kinds.forEach(kind -> expected.add("nemesis " + kind.name().toLowerCase(Locale.ROOT)));
        for (var name : expected) {
            if (!counts.containsKey(name)) {
                missing.add("expected at least one '" + name + "', found none");
            }
        }
        return missing;
    }

    private static long made(Map<String, Long> counts) {
        return Arrays.stream(Way.values())
                .mapToLong(way -> counts.getOrDefault(way.count(), 0L))
                .sum();
    }

    /** The time of this machine's processors so far, in ticks. */
    private record Processors(long idle, long all) {
        static Processors now() throws IOException {
            try (var lines = Files.lines(Path.of("/proc/stat"))) {
                var first = lines.findFirst().orElse("").replaceFirst("cpu +", "").split(" ", -1);
                long all = 0;
                for (int i = 0; i < Math.min(first.length, 8); i++) {
                    all += Long.parseLong(first[i]);
                }
                return new Processors(Long.parseLong(first[3]) + Long.parseLong(first[4]), all);
            }
        }

        double idleSince(Processors before) {
            return (double) (idle - before.idle) / Math.max(1, all - before.all);
        }
    }
}
