package dev.quire.bench.disk;

import dev.quire.bench.kill.Client;
import dev.quire.bench.kill.StampedBody;
import dev.quire.bench.kill.StampedOrigin.Resource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients of a proxy: two ask for responses that its memory has, as fast as they get them, and
 * another one asks for new URLs, whose responses are written to the disk.
 */
final class HitLoad implements AutoCloseable {
    private static final String HOST = "news.example";
    private static final String NEW = "/new/";
    private static final int READERS = 2;
    private static final int HITS = 100;
    private static final int HIT_BYTES = 1 << 10;
    private static final int NEW_BYTES = 8 << 10;
    private static final Duration BETWEEN_NEW = Duration.ofMillis(5);
    private static final Duration BEFORE_CONNECTING = Duration.ofMillis(20);

    /** So many faults are named. */
    private static final int NAMED = 5;

    private final int port;
    private final List<Thread> threads = new ArrayList<>();
    private final Queue<String> named = new ConcurrentLinkedQueue<>();
    private final AtomicLong faults = new AtomicLong();
    private final AtomicLong answers = new AtomicLong();
    private final AtomicLong news = new AtomicLong();
    private volatile HitTimes times = new HitTimes();
    private volatile boolean isOver;

    /**
     * The hits in the memory within some time.
     *
     * @param p99 in milliseconds
     */
    record Hits(double p99, double perSecond) {}

    private HitLoad(int port) {
        this.port = port;
    }

    /** The resources that it asks for. */
    static Resource resource(String url) {
        return new Resource(url.contains(NEW) ? NEW_BYTES : HIT_BYTES, "all");
    }

    /** Starts the clients. */
    static HitLoad start(int port) {
        var load = new HitLoad(port);
        for (int i = 1; i <= READERS; i++) {
            load.start("reader " + i, load::readHits);
        }
        load.start("reader of new URLs", load::readNew);
        return load;
    }

    /** Requests on one connection, until the end or until an answer is missing. */
    private interface Work {
        void on(Client client) throws IOException, InterruptedException;
    }

    private void start(String name, Work work) {
        threads.add(Thread.ofPlatform().name(name).start(() -> run(name, work)));
    }

    private void run(String name, Work work) {
        try {
            while (!isOver) {
                if (!isDone(name, work)) {
                    Thread.sleep(BEFORE_CONNECTING);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isDone(String name, Work work) throws InterruptedException {
        try (var client = new Client(port)) {
            work.on(client);
            return true;
        } catch (IOException e) {
            fault(name + ": " + e);
            return false;
        }
    }

    private void readHits(Client client) throws IOException {
        for (int i = 0; !isOver; i = (i + 1) % HITS) {
            var target = "/hit/" + i;
            long begun = System.nanoTime();
            var answer = client.get(HOST, target);
            long nanos = System.nanoTime() - begun;
            check(target, answer);
            if (answer.isHit() && !answer.head().contains("detail=disk")) {
                times.add(nanos);
            }
        }
    }

    private void readNew(Client client) throws IOException, InterruptedException {
        while (!isOver) {
            var target = NEW + news.getAndIncrement();
            check(target, client.get(HOST, target));
            Thread.sleep(BETWEEN_NEW);
        }
    }

    private void check(String target, Client.Answer answer) {
        answers.incrementAndGet();
        if (answer.status() != 200) {
            fault("%s: status %d, expected 200".formatted(target, answer.status()));
        } else if (StampedBody.version(HOST + target, answer.body()).isEmpty()) {
            fault(target + ": wrong body");
        }
    }

    private void fault(String what) {
        faults.incrementAndGet();
        if (named.size() < NAMED) {
            named.add(what);
        }
    }

    /** Measures hits for {@code time}. */
    Hits measure(Duration time) throws InterruptedException {
        var measured = new HitTimes();
        times = measured;
        long begun = System.nanoTime();
        Thread.sleep(time);
        times = new HitTimes();
        double seconds = (System.nanoTime() - begun) / 1e9;
        return new Hits(measured.percentile(99), measured.count() / seconds);
    }

    /** Requests that were answered. */
    long answers() {
        return answers.get();
    }

    /** Requests that were not answered, or wrongly. */
    long faults() {
        return faults.get();
    }

    /** The first of them, in words. */
    List<String> namedFaults() {
        return List.copyOf(named);
    }

    /** Ends the clients. */
    @Override
    public void close() {
        isOver = true;
        for (var thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
