package dev.quire.bench.fleet;

import dev.quire.bench.fleet.Event.Ack;
import dev.quire.bench.fleet.Event.Purge;
import dev.quire.bench.fleet.Event.Read;
import dev.quire.bench.kill.Client;
import dev.quire.bench.kill.StampedOrigin;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Clients of one thread, with a connection to each node that they ask. */
final class Clients implements AutoCloseable {
    private static final Pattern AGE = Pattern.compile("^age: *(\\d{1,9}) *$", Pattern.MULTILINE);
    private static final Pattern DETAIL = Pattern.compile("; *detail=\"?([a-z]+)");
    private static final Pattern STALE =
            Pattern.compile("^cache-status: [^\n]*; *ttl=(-|0\\b)", Pattern.MULTILINE);

    /** Soon after that a ban is completed, and cannot be lifted. */
    private static final Duration LONGEST_BAN = Duration.ofMillis(10);

    /** Other nodes are read in turn for so long after a purge, until they are fresh. */
    private static final Duration WATCHING = Duration.ofMillis(300);

    private static final Duration BETWEEN = Duration.ofMillis(1);

    private final Run run;
    private final SplittableRandom random;
    private final @Nullable Client[] open;
    private final int[] openedAt;
    private final List<Way> coming = new ArrayList<>();

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
            ask(node, FleetSite.ASKED.get((int) (share * FleetSite.ASKED.size())));
            LockSupport.parkNanos(pause);
        }
    }

    /**
     * Invalidates random URLs and others with them at {@code node}, so many times each second,
     * until the run is over.
     *
     * @param onlyTags whether it only purges tags
     * @param takesAck whether the node is told what its answer shall wait for; if not, it is taken
     *     to have waited, and nodes that share nothing must be found to break promises
     */
    void purge(int node, double perSecond, boolean onlyTags, boolean takesAck) {
        while (!run.isOver()) {
            var way = onlyTags ? Way.TAG : Way.next(coming, random);
            var url = url(way);
            var ack = Ack.ALL.get(random.nextInt(Ack.ALL.size()));
            var invalidating = new Invalidating(run, node, takesAck);
            if (way == Way.POST) {
                watch(invalidating.post(url), url);
            } else {
                var name = way.name(url);
                run.change(FleetSite.named(name));
                watch(invalidating.purge(way, name, ack), url);
                if (way == Way.LIFTED_BAN) {
                    LockSupport.parkNanos(random.nextLong(LONGEST_BAN.toNanos()));
                    invalidating.lift(Ack.ALL.get(random.nextInt(Ack.ALL.size())));
                }
            }
            long most = (long) (2e9 / perSecond);
            LockSupport.parkNanos(random.nextLong(most));
        }
    }

    private String url(Way way) {
        var urls = way == Way.HOST ? FleetSite.named(FleetSite.SMALL_HOST) : FleetSite.URLS;
        return urls.get(random.nextInt(urls.size()));
    }

    /** Reads what was purged at nodes that must obey, and at others until they do. */
    private void watch(@Nullable Purge purge, String url) {
        if (purge == null) {
            return;
        }
        var asked = FleetSite.asked(url);
        long wanted = run.version(url);
        long end = System.nanoTime() + WATCHING.toNanos();
        var nodes = new HashSet<Integer>();
        for (int node = 0; node < run.fleet().size(); node++) {
            nodes.add(node);
        }
        boolean isMeasured = purge.ack() == Ack.LOG && purge.isHard();
        do {
            nodes.removeIf(node -> isSeen(ask(node, asked), url, wanted));
            LockSupport.parkNanos(BETWEEN.toNanos());
        } while (!nodes.isEmpty() && isMeasured && System.nanoTime() - end < 0);
    }

    private static boolean isSeen(List<Read> reads, String url, long wanted) {
        // A node that does not answer is not watched.
        return reads.isEmpty()
                || reads.stream()
                        .anyMatch(read -> read.url().equals(url) && read.version() >= wanted);
    }

    /** Returns what was read; empty after an error. */
    private List<Read> ask(int node, String url) {
        int life = run.life(node);
        try {
            var client = client(node, life);
            var variant = FleetSite.VARIANTS.get(random.nextInt(FleetSite.VARIANTS.size()));
            var request = Client.request(FleetSite.host(url), FleetSite.path(url));
            var field = StampedOrigin.VARIANT + ": " + variant + "\r\n\r\n";
            long started = System.nanoTime();
            client.send(request.substring(0, request.length() - 2) + field);
            var answer = client.receive();
            long ended = System.nanoTime();
            if (answer.status() != 200) {
                run.fault("%s of %s: status %d".formatted(url, Fleet.name(node), answer.status()));
                return List.of();
            }
            var source = source(answer);
            run.count("read " + source);
            boolean isStale = STALE.matcher(answer.head()).find();
            if (isStale) {
                run.count("read stale");
            }
            var age = AGE.matcher(answer.head());
            var seconds = OptionalLong.of(age.find() ? Long.parseLong(age.group(1)) : 0);
            var whole = new Read(node, url, variant, 0, seconds, source, isStale, started, ended);
            var reads = FleetSite.read(answer.body(), whole);
            reads.forEach(run.history()::add);
            return reads;
        } catch (IOException e) {
            close(node);
            if (run.isRunningSince(node, life)) {
                run.fault("%s of %s: %s".formatted(url, Fleet.name(node), e));
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
