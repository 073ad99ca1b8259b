package dev.quire.bench.fleet;

import dev.quire.bench.fleet.Event.Ack;
import dev.quire.bench.fleet.Event.Purge;
import dev.quire.bench.fleet.Event.Read;
import dev.quire.bench.kill.Client;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Clients of one thread, with a connection to each node that they ask. */
final class Clients implements AutoCloseable {
    private static final Pattern AGE = Pattern.compile("^age: *(\\d{1,9}) *$", Pattern.MULTILINE);
    private static final Pattern DETAIL = Pattern.compile("; *detail=\"?([a-z]+)");
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int ACCEPTED = 202;

    /** The count of answers 202 that outlive a kill of the node. */
    static final String DURABLE = "purge durable 202";

    /** Other nodes are read in turn for so long after a purge, until they are fresh. */
    private static final Duration WATCHING = Duration.ofMillis(300);

    private static final Duration BETWEEN = Duration.ofMillis(1);

    private final Run run;
    private final SplittableRandom random;
    private final @Nullable Client[] open;
    private final int[] openedAt;

    Clients(Run run, SplittableRandom random) {
        this.run = run;
        this.random = random;
        this.open = new @Nullable Client[run.fleet().size()];
        this.openedAt = new int[run.fleet().size()];
    }

    /** Reads random targets of {@code node}, so many each second, until the run is over. */
    void read(int node, int perSecond) {
        long pause = TimeUnit.SECONDS.toNanos(1) / perSecond;
        while (!run.isOver()) {
            // Some targets are read more often than others.
            double share = random.nextDouble() * random.nextDouble();
            ask(node, FleetSite.TARGETS.get((int) (share * FleetSite.TARGETS.size())));
            LockSupport.parkNanos(pause);
        }
    }

    /** Changes and purges random URLs at {@code node}, without waiting for the log. */
    void purgeAtOnce(int node, int count) {
        for (int i = 0; i < count; i++) {
            var url = FleetSite.URLS.get(random.nextInt(FleetSite.URLS.size()));
            run.change(List.of(url));
            var purge = purge(node, url, false, Ack.LOCAL, true);
            if (purge != null) {
                run.history().add(purge);
            }
        }
    }

    /**
     * Purges random URLs and tags at {@code node}, so many each second, until the run is over.
     *
     * @param onlyTags whether it purges no URLs
     * @param takesAck whether the node is told what its answer shall wait for; if not, it is taken
     *     to have waited, and nodes that share nothing must be found to break promises
     */
    void purge(int node, double perSecond, boolean onlyTags, boolean takesAck) {
        while (!run.isOver()) {
            var url = FleetSite.URLS.get(random.nextInt(FleetSite.URLS.size()));
            boolean isTag = onlyTags || random.nextInt(3) == 0;
            var changed = isTag ? FleetSite.tagged(FleetSite.tag(url)) : List.of(url);
            run.change(changed);
            var name = isTag ? FleetSite.tag(url) : url;
            var ack = Ack.ALL.get(random.nextInt(Ack.ALL.size()));
            var purge = purge(node, name, isTag, ack, takesAck);
            if (purge != null) {
                run.history().add(purge);
                watch(purge, url);
            }
            long most = (long) (2e9 / perSecond);
            LockSupport.parkNanos(random.nextLong(most));
        }
    }

    private @Nullable Purge purge(int node, String name, boolean isTag, Ack ack, boolean takesAck) {
        var json =
                "{\"%s\":[\"%s\"],\"count\":false%s}"
                        .formatted(
                                isTag ? "tags" : "urls",
                                isTag ? name : "http://" + name,
                                takesAck ? ",\"ack\":\"%s\"".formatted(ack.word()) : "");
        int life = run.life(node);
        long invoked = System.nanoTime();
        try {
            var answer = run.fleet().node(node).admin("/v1/purge", json);
            long answered = System.nanoTime();
            run.count("purge " + ack.word() + " " + answer.status());
            if (answer.status() != 200 && answer.status() != ACCEPTED) {
                run.fault(
                        "purge at %s: %d %s"
                                .formatted(Fleet.name(node), answer.status(), answer.text()));
                return null;
            }
            return purge(node, name, ack, answer, invoked, answered);
        } catch (IOException e) {
            if (run.isRunningSince(node, life)) {
                run.fault("purge at %s: %s".formatted(Fleet.name(node), e));
            }
            return null;
        }
    }

    /**
     * A 202 that names no nodes does not say that any other node has obeyed. With a journal it
     * outlives a kill all the same, unless it says otherwise.
     */
    private Purge purge(
            int node, String name, Ack ack, Client.Answer answer, long invoked, long answered) {
        boolean isWhole = answer.status() == 200;
        boolean isDurable =
                run.isJournalled()
                        ? JSON.readTree(answer.text()).path("durable").booleanValue(true)
                        : isWhole && ack != Ack.LOCAL;
        if (isDurable && !isWhole) {
            run.count(DURABLE);
        }
        var missing = missing(answer.text());
        return new Purge(
                node,
                List.of(name),
                isWhole || !missing.isEmpty() ? ack : Ack.LOCAL,
                isDurable,
                missing,
                invoked,
                answered);
    }

    private Set<Integer> missing(String json) {
        var missing = new HashSet<Integer>();
        JSON.readTree(json)
                .path("missing")
                .forEach(name -> {
                    for (int node = 0; node < run.fleet().size(); node++) {
                        if (name.stringValue("").matches(Fleet.name(node) + "(#.*)?")) {
                            missing.add(node);
                        }
                    }
                });
        return missing;
    }

    /** Reads what was purged at nodes that must obey, and at others until they do. */
    private void watch(Purge purge, String url) {
        var target = FleetSite.target(url);
        long wanted = run.version(url);
        long end = System.nanoTime() + WATCHING.toNanos();
        var nodes = new HashSet<Integer>();
        for (int node = 0; node < run.fleet().size(); node++) {
            nodes.add(node);
        }
        do {
            nodes.removeIf(node -> isSeen(ask(node, target), url, wanted));
            LockSupport.parkNanos(BETWEEN.toNanos());
        } while (!nodes.isEmpty() && purge.ack() == Ack.LOG && System.nanoTime() - end < 0);
    }

    private static boolean isSeen(List<Read> reads, String url, long wanted) {
        // A node that does not answer is not watched.
        return reads.isEmpty()
                || reads.stream()
                        .anyMatch(read -> read.url().equals(url) && read.version() >= wanted);
    }

    /** Returns what was read; empty after an error. */
    private List<Read> ask(int node, String target) {
        int life = run.life(node);
        try {
            var client = client(node, life);
            long started = System.nanoTime();
            var answer = client.get(FleetSite.HOST, target);
            long ended = System.nanoTime();
            if (answer.status() != 200) {
                run.fault(
                        "%s of %s: status %d".formatted(target, Fleet.name(node), answer.status()));
                return List.of();
            }
            var source = source(answer);
            run.count("read " + source);
            var age = AGE.matcher(answer.head());
            var reads =
                    FleetSite.read(
                            node,
                            target,
                            answer.body(),
                            OptionalLong.of(age.find() ? Long.parseLong(age.group(1)) : 0),
                            source,
                            started,
                            ended);
            reads.forEach(run.history()::add);
            return reads;
        } catch (IOException e) {
            close(node);
            if (run.isRunningSince(node, life)) {
                run.fault("%s of %s: %s".formatted(target, Fleet.name(node), e));
            }
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
            return List.of();
        }
    }

    private Client client(int node, int life) throws IOException {
        var present = open[node];
        if (present != null && openedAt[node] != life) {
            close(node);
            present = null;
        }
        if (present == null) {
            present = new Client(run.fleet().node(node).port());
            open[node] = present;
            openedAt[node] = life;
        }
        return present;
    }

    /**
     * The tier from which the response is, {@code behind} if its node is cut off, or {@code
     * origin}.
     */
    private static String source(Client.Answer answer) {
        if (!answer.isHit()) {
            return "origin";
        }
        var detail = DETAIL.matcher(answer.head());
        return detail.find() ? detail.group(1) : "memory";
    }

    private void close(int node) {
        var present = open[node];
        if (present != null) {
            present.close();
            open[node] = null;
        }
    }

    @Override
    public void close() {
        for (int node = 0; node < open.length; node++) {
            close(node);
        }
    }
}
