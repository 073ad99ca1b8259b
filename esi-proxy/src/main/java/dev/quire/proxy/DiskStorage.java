package dev.quire.proxy;

import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.RecordLog;
import dev.quire.proxy.cache.RecordRetest;
import dev.quire.proxy.cache.RecordTier;
import dev.quire.proxy.config.ClientAddress;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.DiskConfig;
import dev.quire.proxy.disk.DiskFaults;
import dev.quire.proxy.disk.DiskTier;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.fault.InternalErrors;
import dev.quire.proxy.path.SharedParts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The disk tier of the running proxy: opens and closes it, and says once what fails. The proxy
 * serves without it in any case. Thread-safe.
 */
final class DiskStorage implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DiskStorage.class);

    /** How long a start waits for the disk until it goes on without the tier, or its index. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    /** How long what waits is written at the end. */
    private static final Duration LONGEST_FLUSH = Duration.ofSeconds(1);

    /** How long a removal of all responses is awaited. */
    private static final Duration LONGEST_DROP = Duration.ofSeconds(5);

    private static final String SLOW =
            "the disk has not answered yet (expected one that works; repeat the request)";

    /** Between two looks at the directory, and two attempts to use it again. */
    private static final Duration INTERVAL = Duration.ofSeconds(20);

    private final RecordTier tier;
    private final Opener opener;
    private final Duration patience;
    private final Duration interval;
    private final Logger faultLog;

    private final CountDownLatch closing = new CountDownLatch(1);

    // Written under the lock of this object.
    private volatile @Nullable DiskTier disk;
    private volatile @Nullable RecordLog log;

    /** Guarded by this object. */
    private boolean isTooLate;

    private volatile @Nullable Path path;
    private volatile long loadingSinceNanos;

    /** Over once the index is loaded, or cannot be. */
    private volatile CountDownLatch loading = new CountDownLatch(0);

    private volatile boolean isSwitchedOff;
    private volatile @Nullable Double startSeconds;
    private volatile @Nullable String failure;

    /** Opens the directory. */
    interface Opener {
        DiskTier open(DiskTier.Terms terms, DiskTier.Entry entry) throws IOException;

        /** Opens it again, empty. */
        DiskTier renew(DiskTier.Terms terms) throws IOException;

        /** The process has no tier, but there may be files. */
        void goWithout();

        static Opener of(PageStore store, Time time) {
            var invalidations = store.invalidations();
            // A response that waits is tested again before it is written, but records of the shared
            // tier are tested by the next process too.
            LongSupplier oldestWaiting = invalidations.notes()::oldest;
            RecordLog.Reinsertion again = RecordRetest.of(store, time);
            return new Opener() {
                @Override
                public DiskTier open(DiskTier.Terms terms, DiskTier.Entry entry)
                        throws IOException {
                    return DiskTier.open(terms, invalidations, oldestWaiting, again, time, entry);
                }

                @Override
                public DiskTier renew(DiskTier.Terms terms) throws IOException {
                    return DiskTier.renew(terms, invalidations, oldestWaiting, again, time);
                }

                @Override
                public void goWithout() {
                    DiskTier.goWithout(invalidations);
                }
            };
        }
    }

    DiskStorage(SharedParts shared) {
        this(
                shared.tiers().disk(),
                Opener.of(shared.store(), shared.time()),
                PATIENCE,
                INTERVAL,
                LOG);
    }

    /**
     * @param log for the faults of a tier that is open
     */
    DiskStorage(RecordTier tier, Opener opener, Duration patience, Duration interval, Logger log) {
        this.tier = tier;
        this.opener = opener;
        this.patience = patience;
        this.interval = interval;
        this.faultLog = log;
    }

    /** Applies the settings that may change while the proxy runs. */
    void limit(Configuration configuration) {
        var config = configuration.disk();
        // TLS and HTTP/2 need the bytes in memory.
        tier.longBodiesLeaveMemory(
                configuration.listen().addresses().stream().noneMatch(ClientAddress::isTls));
        tier.limit(
                new RecordTier.Terms(
                        config.minLifetime(),
                        config.writeBytes(),
                        config.queueBytes(),
                        config.threads(),
                        config.timeout(),
                        config.fileFromBytes(),
                        config.headBytes()));
    }

    /**
     * Opens the tier, if {@code config} has one, and loads its index on another thread. Blocks for
     * a moment, at most some seconds. Nothing was requested or invalidated yet.
     */
    void open(DiskConfig config) {
        var directory = config.path().orElse(null);
        if (directory == null) {
            return;
        }
        path = directory;
        var terms = new DiskTier.Terms(directory, config.sizeBytes(), config.indexBytes());
        opener.goWithout();
        loadingSinceNanos = System.nanoTime();
        loading = new CountDownLatch(1);
        var opening = new CountDownLatch(1);
        start("quire-disk-load", () -> begin(terms, opening));
        if (!isOver(opening, patience) && isLate()) {
            unusable(directory + ": no answer from the disk within " + patience.toSeconds() + " s");
        }
        start("quire-disk-watch", () -> watch(terms));
    }

    private static void start(String name, Runnable task) {
        Thread.ofPlatform().daemon().name(name).start(task);
    }

    private static boolean isOver(CountDownLatch latch, Duration within) {
        try {
            return latch.await(within.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Returns whether the start goes on without the tier. */
    private synchronized boolean isLate() {
        isTooLate = disk == null;
        return isTooLate;
    }

    private synchronized boolean enter(Runnable change) {
        if (!isTooLate) {
            change.run();
        }
        return !isTooLate;
    }

    private void begin(DiskTier.Terms terms, CountDownLatch opening) {
        try {
            var opened = opener.open(terms, this::enter);
            if (use(opened)) {
                opening.countDown();
                if (load(opened)) {
                    // It may have been too late for the start.
                    failure = null;
                }
            }
        } catch (IOException e) {
            if (!isTooLateNow()) {
                unusable(String.valueOf(e.getMessage()));
            }
        } finally {
            loading.countDown();
            opening.countDown();
        }
    }

    private synchronized boolean isTooLateNow() {
        return isTooLate;
    }

    /** Returns false if the proxy has ended meanwhile. */
    private boolean use(DiskTier opened) {
        synchronized (this) {
            if (closing.getCount() > 0) {
                disk = opened;
                tier.expect(reason -> empty(opened, reason));
            }
        }
        if (closing.getCount() == 0) {
            opened.close();
            return false;
        }
        // Not on the thread that reports it: others wait for that one.
        opened.failure()
                .thenAccept(reason -> start("quire-disk-failed", () -> failed(opened, reason)));
        return true;
    }

    /** Returns whether it is in use. */
    private boolean load(DiskTier opened) {
        try {
            var loaded = opened.load();
            synchronized (this) {
                if (!opened.equals(disk)) {
                    return false;
                }
                log = loaded;
                tier.use(loaded);
            }
            var stats = opened.stats().log();
            long nanos = System.nanoTime() - loadingSinceNanos;
            startSeconds = nanos / 1e9;
            var millis = TimeUnit.NANOSECONDS.toMillis(nanos);
            LOG.atInfo()
                    .addKeyValue("event", "disk-loaded")
                    .addKeyValue("objects", stats.objects())
                    .addKeyValue("bytes", stats.bytes())
                    .addKeyValue("ms", millis)
                    .log(
                            "disk: {} has {} responses, {} B, read in {} ms",
                            path,
                            stats.objects(),
                            stats.bytes(),
                            millis);
            opened.emptied().ifPresent(this::logEmptied);
            return true;
        } catch (IOException e) {
            // The failure of the tier is reported too.
            LOG.debug("the index cannot be loaded", e);
            return false;
        }
    }

    /** Looks after the directory until the end. */
    private void watch(DiskTier.Terms terms) {
        var errors =
                new InternalErrors(
                        LOG, "disk: a look at the directory failed and will be repeated");
        DiskFaults faults = null;
        while (!isOver(closing, interval)) {
            var opened = disk;
            try {
                if (opened != null) {
                    opened.check();
                    if (faults == null || !faults.areOf(opened)) {
                        faults = new DiskFaults(opened, terms.path(), faultLog);
                    }
                    faults.look(tier.wasStalled());
                } else if (!isLoading() && !isSwitchedOff) {
                    renew(terms);
                }
            } catch (RuntimeException | Error bug) {
                errors.add(bug);
            }
        }
    }

    private void renew(DiskTier.Terms terms) {
        try {
            var opened = opener.renew(terms);
            loadingSinceNanos = System.nanoTime();
            if (use(opened) && load(opened)) {
                failure = null;
                LOG.atInfo()
                        .addKeyValue("event", "disk-usable")
                        .log("disk: {} is used again, from empty", terms.path());
            }
        } catch (IOException e) {
            LOG.debug("the disk tier cannot be used again yet", e);
        }
    }

    /** Whether a start should wait until the index is loaded. */
    boolean isAwaited() {
        return isLoading() && System.nanoTime() - loadingSinceNanos < patience.toNanos();
    }

    private void failed(DiskTier opened, String reason) {
        synchronized (this) {
            if (!opened.equals(disk)) {
                return;
            }
            disk = null;
            log = null;
        }
        tier.end(Duration.ZERO);
        opened.close();
        unusable(reason);
    }

    private void unusable(String reason) {
        failure = reason;
        LOG.atError()
                .addKeyValue("event", "disk-unusable")
                .log(
                        "disk: not used, responses are stored in memory only: {} (expected a writable"
                                + " directory of this process alone, tried again every {} s)",
                        reason,
                        interval.toSeconds());
    }

    /** Why the tier is not used, although the configuration has one. */
    Optional<String> failure() {
        return Optional.ofNullable(failure);
    }

    /** The tier while it is open. Never blocks. */
    Optional<DiskTier.Stats> stats() {
        return Optional.ofNullable(disk).map(DiskTier::stats);
    }

    /** Why the tier began empty although there were files, while it is open. */
    Optional<String> emptied() {
        return Optional.ofNullable(disk).flatMap(DiskTier::emptied);
    }

    /** Whether the index is being read. */
    boolean isLoading() {
        return loading.getCount() > 0;
    }

    /** Waits until the index of an open tier is loaded, for {@code most} at most. */
    void awaitIndex(Duration most) {
        if (disk != null) {
            isOver(loading, most);
        }
    }

    /** How long reading the index took, in seconds; null until it is read. */
    @Nullable Double startSeconds() {
        return startSeconds;
    }

    Optional<Path> path() {
        return Optional.ofNullable(path);
    }

    /** Removes all responses from the tier. Blocks. Returns why it cannot, or nothing. */
    Optional<String> drop() {
        var opened = disk;
        if (opened == null || log == null) {
            return Optional.of(obstacle());
        }
        if (tier.state() == RecordTier.State.OFF) {
            // It is empty.
            return Optional.empty();
        }
        var done = new CompletableFuture<Boolean>();
        tier.inOrder(() -> {
            opened.drop();
            done.complete(true);
        });
        return awaited(done);
    }

    /** Removes all responses, on the thread that writes. */
    private void empty(DiskTier opened, String reason) {
        try {
            opened.drop();
        } finally {
            logEmptied(reason);
        }
    }

    private void logEmptied(String reason) {
        LOG.atWarn()
                .addKeyValue("event", "disk-emptied")
                .log("disk: {} was emptied: {}", path, reason);
    }

    /**
     * Empties the tier, and uses it no more until it is switched on. Blocks. Returns why it cannot,
     * or nothing.
     */
    synchronized Optional<String> switchOff() {
        var opened = disk;
        if (opened == null || log == null) {
            return Optional.of(obstacle());
        }
        isSwitchedOff = true;
        // Nothing that waits is worth writing.
        tier.end(Duration.ZERO);
        tier.end(LONGEST_FLUSH);
        return emptied(opened);
    }

    /** Uses the tier again, empty. Blocks. Returns why it cannot, or nothing. */
    synchronized Optional<String> switchOn() {
        isSwitchedOff = false;
        var loaded = log;
        var opened = disk;
        if (loaded == null || opened == null) {
            return Optional.of(obstacle());
        }
        if (tier.state() != RecordTier.State.OFF) {
            return Optional.empty();
        }
        if (!tier.end(LONGEST_FLUSH)) {
            return Optional.of(SLOW);
        }
        // The last write may have been slow, and later than the removal of all others.
        var obstacle = emptied(opened);
        if (obstacle.isEmpty()) {
            tier.expect(reason -> empty(opened, reason));
            tier.use(loaded);
        }
        return obstacle;
    }

    /** Not by the caller: a thread that waits for the disk cannot be ended. */
    private static Optional<String> emptied(DiskTier opened) {
        var done = new CompletableFuture<Boolean>();
        Thread.ofPlatform()
                .daemon()
                .name("quire-disk-drop")
                .start(() -> {
                    opened.drop();
                    done.complete(true);
                });
        return awaited(done);
    }

    private static Optional<String> awaited(CompletableFuture<Boolean> done) {
        boolean isDone =
                done.completeOnTimeout(false, LONGEST_DROP.toNanos(), TimeUnit.NANOSECONDS).join();
        return isDone ? Optional.empty() : Optional.of(SLOW);
    }

    /** Why the tier cannot be used now. */
    private String obstacle() {
        var reason = failure;
        if (reason != null) {
            return "the disk tier has failed: "
                    + reason
                    + " (expected a disk that works; it is tried again)";
        }
        return isLoading()
                ? "the index of the disk tier is being read (expected one that is loaded)"
                : "the disk tier is not open (expected a proxy that accepts requests)";
    }

    /**
     * Closes it for another process.
     *
     * @param before run when all that waited is written
     */
    void handOver(Runnable before) {
        close(before);
    }

    /**
     * Writes what waits, and closes the files, so that another process can use them. If the disk is
     * too slow for that, the other process begins with an empty tier.
     */
    @Override
    public void close() {
        close(() -> {});
    }

    private void close(Runnable before) {
        closing.countDown();
        // Responses may wait for it.
        awaitIndex(patience);
        DiskTier opened;
        synchronized (this) {
            opened = disk;
            disk = null;
            log = null;
        }
        if (opened == null) {
            before.run();
            return;
        }
        boolean isComplete = tier.end(LONGEST_FLUSH);
        before.run();
        if (isComplete) {
            opened.close();
        } else {
            // An older response may be left that should be replaced or removed.
            opened.closeIncomplete();
        }
    }
}
