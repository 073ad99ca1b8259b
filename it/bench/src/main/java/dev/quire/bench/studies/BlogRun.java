package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.kill.Client;
import dev.quire.bench.peers.Target;
import dev.quire.bench.studies.BlogArm.Cpu;
import dev.quire.bench.studies.BlogArm.Measured;
import dev.quire.bench.studies.BlogArm.Minute;
import dev.quire.bench.studies.BlogArm.Pass;
import dev.quire.bench.studies.BlogArm.Turn;
import dev.quire.bench.studies.UserLoad.End;
import dev.quire.bench.studies.UserLoad.Outcome;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;

/**
 * One pass of an arm: its servers are started with empty caches, get the users, and in the last
 * pass of the arm then the search for the highest rate. Not thread-safe.
 */
final class BlogRun implements AutoCloseable {
    /** The rate of a run, of the capacity of the application without caches. */
    static final double OVERLOAD = 1.5;

    /** Its pages are stored too, but not the ones that users get. */
    private static final String OTHER_HOST = "warm.example";

    /** A response that costs the application little, for each number in its query. */
    private static final String PICTURE = "/assets/icon.svg?n=";

    private static final int PICTURES = 2000;

    /** Of the users before a run, those that a node gets which joins during the run. */
    private static final int PERCENT_JOINING = 10;

    private static final int PERCENT_SHORT = 1;

    /** Of users before a run. */
    private static final int WARM_REQUESTS = 20_000;

    /** Of the capacity of the application without caches: it has time for their misses. */
    private static final double WARM_RATE = 4;

    /** The same while nearly all of them are misses. */
    private static final double COLD_RATE = 2;

    /** Of the users before a run. */
    private static final double COLD_PART = 0.2;

    private static final double LIFETIME_SECONDS = 60;
    private static final double LONGEST_MILLIS = 1000;

    /** By then nearly all pages are stored, and not one has expired. */
    private static final double JOIN_SECONDS = 45;

    private static final int STATEMENTS = 41;

    /**
     * The counts of the site in a part of the run.
     *
     * @param begin in seconds since the begin of the run
     */
    private record Sample(double begin, double end, BlogSite.Counts site) {
        Minute minute(Outcome outcome) {
            return new Minute(end - begin, outcome.endedBetween(begin, end), site);
        }
    }

    private final Stage stage;
    private final Turn turn;
    private final BlogArm arm;
    private final BlogSite site;
    private final List<Step.Body> pages;
    private final UserLoad load;
    private final String storePort = Integer.toString(FreePort.next());
    private final List<Target> nodes = new ArrayList<>();
    private final AtomicInteger secondPort = new AtomicInteger();
    private byte[] picture = {};

    /**
     * @param site with the object cache of its arm
     * @param load of the run
     */
    BlogRun(Stage stage, Turn turn, BlogSite site, List<Step.Body> pages, UserLoad load) {
        this.stage = stage;
        this.turn = turn;
        this.arm = turn.arm();
        this.site = site;
        this.pages = pages;
        this.load = load;
    }

    Pass measure() throws CannotMeasure, IOException, InterruptedException {
        boolean isCached = arm.script().isPresent();
        var highest = Optional.<HighestRate>empty();
        if (isCached) {
            nodes.add(node("n1"));
            picture = site.body(OTHER_HOST, PICTURE);
            warmUp();
            // Pages that a cache still fetches do not belong to the run.
            site.awaitQuiet();
        } else {
            // An application in overload has much left to do: the search is before it.
            highest = Optional.of(highest());
        }
        site.emptyObjectCache();
        var before = site.counts();
        var cpuBefore = cpu();
        var samples = new ArrayList<Sample>();
        var joining = OptionalInt.empty();
        Outcome outcome;
        try (var threads = Executors.newSingleThreadExecutor()) {
            var running = CompletableFuture.supplyAsync(() -> load.run(pages, port()), threads);
            joining = sample(running, before, samples);
            outcome = running.join();
        }
        var total = site.counts().since(before);
        if (isCached) {
            site.awaitQuiet();
            total = site.counts().since(before);
            check(outcome, total);
        }
        var cpu = cpu().since(cpuBefore);
        if (!isCached) {
            // Else the next run would share the machine with what is left of this one.
            site.awaitQuiet();
        } else if (turn.isLast()) {
            highest = Optional.of(highest());
        }
        if (outcome.count(End.WRONG_BODY) > 0) {
            fault("%d wrong bodies".formatted(outcome.count(End.WRONG_BODY)));
        }
        if (stage.extent().isShort()) {
            outcome.fault().ifPresent(this::fault);
        }
        var minutes = samples.stream().map(sample -> sample.minute(outcome)).toList();
        var pass = new Pass(arm, outcome, minutes, total, cpu, highest, joining);
        say(pass);
        return pass;
    }

    private void fault(String why) {
        stage.fault("%s, pass %d: %s".formatted(arm.name(), turn.number(), why));
    }

    private void say(Pass pass) {
        var outcome = pass.outcome();
        var measured = new Measured(arm, List.of(pass));
        stage.say(
                "%-18s mean %,.1f ms, p99 %,.0f ms, %d of %d errors, hits %.1f %%, %.0f statements/s%s%s"
                        .formatted(
                                arm.name(),
                                outcome.meanMillis(),
                                outcome.percentileMillis(99),
                                outcome.errors(),
                                outcome.replies().size(),
                                measured.hitPercent(),
                                measured.statementsPerSecond(),
                                pass.highest()
                                        .map(rate ->
                                                ", at most %s%.0f/s"
                                                        .formatted(
                                                                rate.isBound() ? "more than " : "",
                                                                rate.perSecond()))
                                        .orElse(""),
                                pass.joining().isPresent()
                                        ? ", joining node: " + pass.joining().getAsInt()
                                        : ""));
        outcome.fault().ifPresent(stage::say);
    }

    private Cpu cpu() {
        return new Cpu(
                nodes.stream().mapToDouble(node -> node.running().cpuSeconds()).sum(),
                site.cpuSeconds());
    }

    private Target node(String name) throws CannotMeasure, IOException, InterruptedException {
        var variables = new HashMap<>(arm.variables());
        variables.put("QUIRE_BENCH_NODE", name);
        variables.put("QUIRE_BENCH_STORE_PORT", storePort);
        return stage.start(
                arm.script().orElseThrow(),
                "blog-%d-%s-%s".formatted(turn.number(), arm.name().replaceAll("\\W+", "-"), name),
                site.port(),
                variables);
    }

    /** Every second user is at the second node once it has joined. */
    private IntUnaryOperator port() {
        int first = nodes.isEmpty() ? site.port() : nodes.getFirst().port();
        return user -> {
            int second = secondPort.get();
            return second > 0 && user % 2 == 1 ? second : first;
        };
    }

    /**
     * Users of another host, and of pictures that the application has at once: hits and misses, as
     * in the run, so that a cache runs compiled code. Errors become faults of the stage.
     */
    private void warmUp() {
        for (var node : nodes) {
            warmUp(node.port(), stage.extent().of(100, PERCENT_SHORT));
        }
    }

    private void warmUp(int port, int percent) {
        double part = percent / 100.0;
        var wanted = new ArrayList<>(pages.subList(0, (int) Math.ceil(part * pages.size())));
        for (int number = 0; number < part * PICTURES; number++) {
            wanted.add(new Step.Body(PICTURE + number, picture));
        }
        double requests = part * WARM_REQUESTS;
        warmUp(port, wanted, COLD_RATE * capacity(), COLD_PART * requests);
        warmUp(port, wanted, WARM_RATE * capacity(), (1 - COLD_PART) * requests);
    }

    private void warmUp(int port, List<Step.Body> wanted, double rate, double requests) {
        load.from(OTHER_HOST)
                .at(rate, requests / rate)
                .run(wanted, user -> port)
                .fault()
                .ifPresent(why -> fault("%s: %s".formatted(OTHER_HOST, why)));
    }

    /** Reads the counts of the site each minute until the load ends; the node joins meanwhile. */
    private OptionalInt sample(
            CompletableFuture<Outcome> running, BlogSite.Counts before, List<Sample> samples)
            throws CannotMeasure, IOException, InterruptedException {
        long begin = System.nanoTime();
        double period = stage.extent().of(60, 2);
        double joinAt =
                arm.isJoined()
                        ? Math.min(JOIN_SECONDS, load.expectedSeconds() / 2)
                        : Double.POSITIVE_INFINITY;
        var joining = OptionalInt.empty();
        double last = 0;
        var lastCounts = before;
        while (!running.isDone()) {
            double due = Math.min(last + period, joinAt);
            await(running, due - seconds(begin));
            if (!running.isDone() && seconds(begin) >= joinAt) {
                joining = OptionalInt.of(join());
                joinAt = Double.POSITIVE_INFINITY;
            }
            double now = seconds(begin);
            // A rest of a few seconds belongs to the minute before.
            if (now >= last + (running.isDone() ? period / 4 : period)) {
                var counts = site.counts();
                samples.add(new Sample(last, now, counts.since(lastCounts)));
                last = now;
                lastCounts = counts;
            }
        }
        return joining;
    }

    private static double seconds(long begin) {
        return (System.nanoTime() - begin) / 1e9;
    }

    private static void await(CompletableFuture<Outcome> running, double seconds)
            throws InterruptedException {
        try {
            running.get((long) Math.max(1, seconds * 1e9), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            // The time of the next sample.
        } catch (ExecutionException e) {
            throw new IllegalStateException("the load failed", e);
        }
    }

    /**
     * Starts the second node with an empty memory and asks it for all pages once. Returns how many
     * pages the application rendered meanwhile, also for the first node.
     */
    private int join() throws CannotMeasure, IOException, InterruptedException {
        var node = node("n2");
        nodes.add(node);
        warmUp(node.port(), stage.extent().of(PERCENT_JOINING, PERCENT_SHORT));
        var before = site.counts();
        try (var client = new Client(node.port())) {
            for (var page : pages) {
                client.get(load.host(), page.path());
            }
        }
        int fetched = (int) site.counts().since(before).pages();
        secondPort.set(node.port());
        return fetched;
    }

    /** Compares the requests at the site with those that the lifetime of a minute needs. */
    private void check(Outcome outcome, BlogSite.Counts total) {
        double lifetimes = Math.ceil((outcome.seconds() + 1) / (LIFETIME_SECONDS - 2)) + 1;
        double most = pages.size() * lifetimes;
        if (total.pages() > most) {
            fault(
                    "%,d requests at the site, expected at most %,.0f"
                            .formatted(total.pages(), most));
        }
        if (!arm.isObjectCache() && total.statements() != STATEMENTS * total.pages()) {
            fault(
                    "%,d statements for %,d pages, expected %d for each"
                            .formatted(total.statements(), total.pages(), STATEMENTS));
        }
    }

    /** In pages per second. */
    private double capacity() {
        return load.requestsPerSecond() / OVERLOAD;
    }

    private HighestRate highest() throws CannotMeasure, IOException, InterruptedException {
        double capacity = capacity();
        boolean isCached = arm.script().isPresent();
        double seconds = stage.extent().of(5, 1);
        double most = stage.extent().of(256, 1) * capacity;
        double first = stage.extent().isShort() ? most : isCached ? 4 * capacity : capacity / 2;
        var found =
                HighestRate.find(
                        first,
                        most,
                        rate -> {
                            var outcome = load.at(rate, seconds).run(pages, port());
                            return outcome.errors() == 0
                                    && outcome.percentileMillis(99) <= LONGEST_MILLIS;
                        });
        site.awaitQuiet();
        return found;
    }

    @Override
    public void close() {
        nodes.reversed().forEach(Target::close);
    }
}
