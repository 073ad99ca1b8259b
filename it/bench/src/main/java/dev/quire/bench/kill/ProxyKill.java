package dev.quire.bench.kill;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.kill.CrashSite.Place;
import dev.quire.bench.kill.KilledProxy.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * One kill of a whole proxy under load, at most 10 ms after it has answered a purge. The next
 * process must not serve what was purged, nor anything wrong.
 */
final class ProxyKill {
    /*
     * Before each purge the origin makes a new version of all URLs that it covers. From its answer
     * on, whatever the proxy serves for these URLs must have that version or a later one. It is the
     * same rule before the kill and after it.
     */

    private static final int CLIENTS = 3;
    private static final int MOST_EARLIER = 6;
    private static final int MOST_DELAY_MICROS = 9_000;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration POLL = Duration.ofMillis(20);

    /** Of the responses that were on disk long before the kill, so many must be there after it. */
    private static final double LEAST_KEPT = 0.9;

    /** While this file is absent, no later process uses the others. */
    private static final String FORMAT = "format";

    private static final int ACCEPTED = 202;

    private final StampedOrigin origin;
    private final KilledProxy proxy;
    private final Path disk;
    private final SplittableRandom random;
    private final Map<String, Long> least = new ConcurrentHashMap<>();

    /** The URLs of all purges: one that was not durable may still be in effect after the kill. */
    private final Set<String> purged = new HashSet<>();

    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private final AtomicLong answers = new AtomicLong();
    private final AtomicLong wrong = new AtomicLong();
    private final AtomicLong revived = new AtomicLong();
    private volatile boolean isKilled;
    private double latestMillis;
    private long purges;
    private long notDurable;
    private long hits;

    private ProxyKill(StampedOrigin origin, KilledProxy proxy, Path disk, SplittableRandom random) {
        this.origin = origin;
        this.proxy = proxy;
        this.disk = disk;
        this.random = random;
    }

    /**
     * Kills a proxy with an empty directory.
     *
     * @param folder for its files
     * @param last the purge before the kill
     * @param isDamaged whether files are damaged before the next start
     * @param foreign a directory for the journal of another tier: this one's when it has ended
     */
    static Evidence run(
            Launch launch, Path folder, Purging last, boolean isDamaged, Path foreign, long seed)
            throws CannotMeasure, IOException, InterruptedException {
        var random = new SplittableRandom(seed);
        var disk = folder.resolve("disk");
        var yaml =
                """
                cache: { memory: %s }
                disk: { path: "%s", size: 64MiB, min-lifetime: 0s, io-timeout: 10s }
                """
                        .formatted(random.nextBoolean() ? "0" : "16MiB", disk);
        try (var origin = StampedOrigin.start(CrashSite::resource);
                var proxy = KilledProxy.of(launch, folder, origin.port(), yaml)) {
            return new ProxyKill(origin, proxy, disk, random).run(last, isDamaged, foreign);
        }
    }

    private Evidence run(Purging last, boolean isDamaged, Path foreign)
            throws CannotMeasure, IOException, InterruptedException {
        proxy.start();
        askAll();
        awaitWritten();
        purgeAndKill(last);
        boolean isGivenUp = Files.notExists(disk.resolve(FORMAT));
        if (isDamaged) {
            Damage.damage(disk, foreign, random);
        }
        isKilled = false;
        proxy.start();
        var found = awaitDisk("load its index", present -> !present.isLoading());
        hits = askAll();
        if (!isDamaged && !isGivenUp && hits < LEAST_KEPT * unpurged()) {
            faults.add(
                    "%s: only %d hits after the kill, though %d URLs were not purged, tiers at the start: %s"
                            .formatted(last, hits, unpurged(), found.text()));
        }
        if (random.nextBoolean()) {
            // The files that the start has written must be right, too.
            proxy.kill();
            proxy.start();
            hits += askAll();
        }
        proxy.kill();
        Damage.copyJournal(disk, foreign);
        return new Evidence(
                1,
                latestMillis,
                isDamaged ? 1 : 0,
                purges,
                notDurable,
                isGivenUp ? 1 : 0,
                answers.get(),
                hits,
                wrong.get(),
                revived.get(),
                List.copyOf(faults));
    }

    private long unpurged() {
        return CrashSite.PLACES.stream().filter(place -> !purged.contains(place.url())).count();
    }

    /** Asks for all URLs; returns the number of hits. */
    private long askAll() throws IOException {
        long found = 0;
        try (var client = new Client(proxy.port())) {
            for (var place : CrashSite.PLACES) {
                found += ask(client, place) ? 1 : 0;
            }
        }
        return found;
    }

    /** Checks the response for {@code place}; returns whether it is a hit. */
    private boolean ask(Client client, Place place) throws IOException {
        long expected = least.getOrDefault(place.url(), 0L);
        var answer = client.get(place.host(), place.target());
        answers.incrementAndGet();
        if (answer.status() != 200) {
            faults.add(place.url() + ": status " + answer.status() + ", expected 200");
            return false;
        }
        var version = StampedBody.version(place.url(), answer.body());
        if (version.isEmpty()) {
            wrong.incrementAndGet();
        } else if (version.getAsLong() < expected) {
            revived.incrementAndGet();
        }
        return answer.isHit();
    }

    private void awaitWritten() throws CannotMeasure, IOException, InterruptedException {
        awaitDisk(
                "write all responses",
                present -> present.isOn() && present.stored() >= CrashSite.PLACES.size());
    }

    private DiskState awaitDisk(String what, Predicate<DiskState> isReached)
            throws CannotMeasure, IOException, InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        var present = DiskState.of(proxy);
        while (!isReached.test(present)) {
            if (System.nanoTime() - end > 0) {
                throw new CannotMeasure(
                        "the proxy did not %s in %d s: %s"
                                .formatted(what, PATIENCE.toSeconds(), present.text()));
            }
            Thread.sleep(POLL);
            present = DiskState.of(proxy);
        }
        return present;
    }

    private void purgeAndKill(Purging last) throws IOException, InterruptedException {
        var clients = new ArrayList<Thread>();
        for (int i = 0; i < CLIENTS; i++) {
            var own = random.split();
            clients.add(Thread.ofPlatform().name("client-" + i).start(() -> load(own)));
        }
        int earlier = random.nextInt(MOST_EARLIER);
        for (int i = 0; i < earlier; i++) {
            purge(Purging.ALL.get(random.nextInt(Purging.ALL.size())));
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(50)));
        }
        purge(last);
        long answered = System.nanoTime();
        if (random.nextBoolean()) {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(MOST_DELAY_MICROS)));
        }
        isKilled = true;
        latestMillis = (System.nanoTime() - answered) / 1e6;
        proxy.kill();
        for (var client : clients) {
            client.join();
        }
    }

    /** Asks for random URLs until the proxy is killed. */
    private void load(SplittableRandom own) {
        try (var client = new Client(proxy.port())) {
            while (!isKilled) {
                ask(client, CrashSite.PLACES.get(own.nextInt(CrashSite.PLACES.size())));
            }
        } catch (IOException e) {
            if (!isKilled) {
                faults.add("a client of the running proxy: " + e);
            }
        }
    }

    private void purge(Purging kind) throws IOException {
        var named = CrashSite.PLACES.get(random.nextInt(CrashSite.PLACES.size()));
        var changed = new HashMap<String, Long>();
        Client.Answer answer;
        if (kind == Purging.UNSAFE) {
            try (var client = new Client(proxy.port())) {
                answer = client.post(named.host(), named.target(), "");
            }
            // The origin has made the new version.
            changed.put(named.url(), origin.version(named.url()));
        } else {
            CrashSite.PLACES.stream()
                    .filter(place -> kind.covers(named, place))
                    .forEach(place -> changed.put(place.url(), origin.change(place.url())));
            answer = proxy.admin(kind.target(), kind.json(named));
        }
        purged.addAll(changed.keySet());
        if (answer.status() == ACCEPTED) {
            notDurable++;
        } else if (answer.status() / 100 == 2) {
            purges++;
            changed.forEach((url, version) -> least.merge(url, version, Math::max));
        } else {
            faults.add("%s: %d %s".formatted(kind, answer.status(), answer.text()));
        }
    }
}
