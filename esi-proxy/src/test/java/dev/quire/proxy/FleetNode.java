package dev.quire.proxy;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toSet;

import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.InFlightBudget;
import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationEntry.PurgeEntry;
import dev.quire.proxy.cache.InvalidationLog;
import dev.quire.proxy.cache.InvalidationState;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.Purge;
import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.cache.RecordRetest;
import dev.quire.proxy.cache.StoreSweeper;
import dev.quire.proxy.disk.DiskTier;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.fleet.Ack;
import dev.quire.proxy.fleet.CuttableLog;
import dev.quire.proxy.fleet.FleetLog;
import dev.quire.proxy.fleet.NodeName;
import dev.quire.proxy.metrics.Metrics;
import dev.quire.proxy.path.OperatorInvalidations;
import dev.quire.proxy.redis.RedisLog;
import dev.quire.proxy.redis.RedisServer;
import dev.quire.proxy.redis.RedisSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A node of a fleet: invalidations and their log, on a real store. */
final class FleetNode implements AutoCloseable {
    static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(20);

    final Time time = Time.system();
    final PageStore store = new PageStore(1 << 20, new InFlightBudget(1 << 20), time::now);
    final OperatorInvalidations operator =
            new OperatorInvalidations(store, new Metrics(), new StoreSweeper(store));

    /** The entries of this node in its own order. */
    final List<InvalidationEntry> entries = new CopyOnWriteArrayList<>();

    /** When the journal of a node without a disk is written. */
    volatile CompletionStage<Durability> synced =
            CompletableFuture.completedStage(Durability.DURABLE);

    private final List<Timed> timed = new CopyOnWriteArrayList<>();

    /** An entry and when this node has applied it. */
    record Timed(InvalidationEntry entry, long nanos) {
        Set<String> tags() {
            return entry instanceof PurgeEntry purge ? purge.purge().tags() : Set.of();
        }

        boolean isAll() {
            return entry instanceof PurgeEntry purge
                    && purge.purge().paths().stream().anyMatch(path -> path.text().equals("/**"));
        }
    }

    final String name;
    final CuttableLog server;
    final FleetLog log;
    private final @Nullable DiskTier disk;

    private FleetNode(FleetLog.Terms terms, RedisSettings redis, @Nullable Path directory) {
        name = terms.node();
        if (directory == null) {
            invalidations().logTo(new Recorder(), () -> 0);
            disk = null;
        } else {
            disk = open(directory);
        }
        server = new CuttableLog(new RedisLog(redis, terms.node(), 1));
        log =
                new FleetLog(
                        terms,
                        invalidations(),
                        new PassedInvalidations(operator, Set::<CacheKey>of, time)::make,
                        time,
                        server);
    }

    private DiskTier open(Path directory) {
        try {
            var opened =
                    DiskTier.open(
                            new DiskTier.Terms(directory, 16 << 20, 1 << 20),
                            invalidations(),
                            () -> 0,
                            RecordRetest.of(store, time),
                            time);
            opened.load();
            return opened;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Notes the entries of a node without a disk. */
    private final class Recorder implements InvalidationLog {

        @Override
        public void append(long number, InvalidationEntry entry) {
            // The entries last: tests wait for them, and then read the other list.
            timed.add(new Timed(entry, System.nanoTime()));
            entries.add(entry);
        }

        @Override
        public CompletionStage<Durability> sync() {
            return synced;
        }
    }

    static FleetLog.Terms terms(String name) {
        return terms(name, Duration.ofHours(25));
    }

    static FleetLog.Terms terms(String name, Duration retention) {
        return new FleetLog.Terms("test", NodeName.incarnate(name), LEASE, retention, 10_000);
    }

    /** Returns a node that has read the log. */
    static FleetNode start(String name, RedisServer redis) {
        return start(name, redis.settings());
    }

    static FleetNode start(String name, RedisSettings redis) {
        var node = startWithout(terms(name), redis);
        node.await(node.log::isCurrent);
        return node;
    }

    static FleetNode startWithout(FleetLog.Terms terms, RedisServer redis) {
        return startWithout(terms, redis.settings());
    }

    private static FleetNode startWithout(FleetLog.Terms terms, RedisSettings redis) {
        var node = new FleetNode(terms, redis, null);
        node.log.start();
        return node;
    }

    /**
     * Returns the next process of {@code former}, which is cut off: it knows what the journal has,
     * and numbers its entries as before.
     */
    static FleetNode startAgain(FleetNode former, FleetLog.Terms terms, RedisServer redis) {
        former.server.cut();
        var state = former.invalidations().state();
        long last =
                state.entries().stream()
                        .mapToLong(InvalidationState.Numbered::number)
                        .reduce(state.newest(), Math::max);
        former.await(() -> former.timed.size() >= last);
        var node = new FleetNode(terms, redis.settings(), null);
        node.invalidations().resume(state);
        node.timed.addAll(former.timed().subList(0, (int) last));
        node.log.start();
        return node;
    }

    /** Returns a node with a disk tier, which continues a former one, and is cut off at first. */
    static FleetNode startCutOff(FleetLog.Terms terms, RedisServer redis, Path directory) {
        var node = new FleetNode(terms, redis.settings(), directory);
        node.server.cut();
        node.log.start();
        return node;
    }

    /** Waits until the journal has noted that the whole log is read. */
    void awaitNoted() {
        long last = log.overview().toCompletableFuture().join().last();
        await(() -> {
            var state = invalidations().notes().state();
            return state != null && state.applied() >= last;
        });
    }

    /** Copies the directory as if the process had been killed now, with all entries so far. */
    void copyDisk(Path from, Path to) {
        assertDurable();
        try {
            Files.createDirectory(to);
            // The journal grows meanwhile: a copy must not be shorter than its end says.
            var last = Comparator.<Path, Boolean>comparing(file -> !file.endsWith("journal.end"));
            try (var files = Files.list(from).sorted(last)) {
                for (var file : (Iterable<Path>) files::iterator) {
                    Files.copy(file, to.resolve(file.getFileName()));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void assertDurable() {
        await(() -> invalidations().sync().toCompletableFuture().join() == Durability.DURABLE);
    }

    /** The tags of the purges that a stored response may have to be tested against. */
    Set<String> keptTags() {
        return kept().flatMap(purge -> purge.tags().stream()).collect(toSet());
    }

    /** The same for purges of everything. */
    boolean hasKeptPurgeOfEverything() {
        return kept().flatMap(purge -> purge.paths().stream())
                .anyMatch(path -> path.text().equals("/**"));
    }

    private Stream<Purge> kept() {
        return invalidations().state().entries().stream()
                .map(InvalidationState.Numbered::entry)
                .filter(PurgeEntry.class::isInstance)
                .map(entry -> ((PurgeEntry) entry).purge());
    }

    Invalidations invalidations() {
        return store.invalidations();
    }

    /** The position of a response that was tested up to {@code number}; it has one. */
    RecordPosition position(long number) {
        return requireNonNull(log.position(number));
    }

    void purge(String tag) {
        operator.purgeUncounted(new Purge(Set.of(), Set.of(tag), Set.of(), List.of()), false);
    }

    /** Waits until the log has all entries of this node. */
    void awaitLog() {
        var reached = log.acknowledged(Ack.LOG, LONGEST).toCompletableFuture().join();
        if (!reached.isComplete()) {
            throw new AssertionError(name + ": " + log.status());
        }
    }

    /** The tags that are purged, in the order of this node. */
    List<String> tags() {
        return timed.stream().flatMap(each -> each.tags().stream()).toList();
    }

    boolean hasPurgedEverything() {
        return timed.stream().anyMatch(Timed::isAll);
    }

    /** The entries in the order of this node. */
    List<Timed> timed() {
        return List.copyOf(timed);
    }

    /**
     * Waits until it has purged all of {@code wanted}, or everything since then.
     *
     * @param wanted tags with the time of their purge
     */
    void awaitPurged(Map<String, Long> wanted) {
        await(() -> missing(wanted).isEmpty(), () -> "not purged: " + missing(wanted));
    }

    private Set<String> missing(Map<String, Long> wanted) {
        long all =
                timed.stream()
                        .filter(Timed::isAll)
                        .mapToLong(Timed::nanos)
                        .max()
                        .orElse(Long.MIN_VALUE);
        var missing = new TreeSet<String>();
        wanted.forEach((tag, nanos) -> {
            if (nanos > all) {
                missing.add(tag);
            }
        });
        missing.removeAll(tags());
        return missing;
    }

    void await(BooleanSupplier condition) {
        await(condition, entries::toString);
    }

    private void await(BooleanSupplier condition, Supplier<String> found) {
        long end = System.nanoTime() + LONGEST.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(name + ": " + log.status() + ", " + found.get());
            }
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    void awaitPassed(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        await(() -> System.nanoTime() - end > 0);
    }

    void awaitEntries(int count) {
        await(() -> entries.size() >= count);
    }

    @Override
    public void close() {
        log.close();
        if (disk != null) {
            disk.close();
        }
    }
}
