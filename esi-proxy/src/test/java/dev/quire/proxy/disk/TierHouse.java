package dev.quire.proxy.disk;

import dev.quire.proxy.cache.Bans;
import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.cache.RecordLog;
import dev.quire.proxy.exchange.Time;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A disk tier in a directory of a test, on a disk that fails or hangs when the test says so. */
final class TierHouse implements AutoCloseable, Time {
    /** A machine under load may have a slow disk. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    static final InvalidationJournal.Patience PATIENT =
            new InvalidationJournal.Patience(PATIENCE, PATIENCE);

    final Path path;
    final FaultyAccess access = new FaultyAccess();
    volatile @Nullable String syncFailure;

    /** Syncs wait for it. */
    volatile @Nullable CountDownLatch hanging;

    /** Whether only syncs of data fail or wait. */
    volatile boolean isDirectoryFree;

    /** So many syncs of data and metadata fail, each with an error. */
    final AtomicInteger directoryErrors = new AtomicInteger();

    /** So many threads cannot be started. */
    final AtomicInteger missingThreads = new AtomicInteger();

    InvalidationJournal.Patience patience = PATIENT;
    Instant now = Instant.EPOCH.plusSeconds(1_000_000);
    Instant wall = LogHouse.NOON;
    volatile long waiting = Long.MAX_VALUE;
    Invalidations invalidations = Invalidations.empty(this::now);
    DiskTier tier;
    RecordLog log;

    TierHouse(Path path) throws IOException {
        this.path = path;
        tier = opened();
        log = tier.load();
    }

    @Override
    public Instant now() {
        return now;
    }

    @Override
    public Instant wall() {
        return wall;
    }

    private void force(FileChannel file, boolean withMetadata) throws IOException {
        var end = hanging;
        boolean isFree = withMetadata && isDirectoryFree;
        if (withMetadata && directoryErrors.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new InternalError("for the test");
        }
        if (syncFailure != null && !isFree) {
            throw new IOException(syncFailure);
        }
        if (end != null && !isFree) {
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        file.force(withMetadata);
    }

    private Thread thread(Runnable task) {
        if (missingThreads.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new OutOfMemoryError("unable to create native thread");
        }
        return Thread.ofPlatform().daemon().unstarted(task);
    }

    private DiskTier opened() throws IOException {
        return DiskTier.open(
                new DiskTier.Terms(path, LogHouse.SIZE, IndexTable.MIN_BYTES),
                invalidations,
                () -> waiting,
                LogHouse.UNCHANGED,
                this,
                new DiskTier.Disk(access, this::force, patience, this::thread));
    }

    /** The same process uses the directory again. */
    void renew() throws IOException {
        tier.close();
        tier =
                DiskTier.renew(
                        new DiskTier.Terms(path, LogHouse.SIZE, IndexTable.MIN_BYTES),
                        invalidations,
                        () -> waiting,
                        LogHouse.UNCHANGED,
                        this,
                        new DiskTier.Disk(access, this::force, patience, this::thread));
        log = tier.load();
    }

    void openWithoutLoading() throws IOException {
        invalidations = Invalidations.empty(this::now);
        tier = opened();
    }

    void open() throws IOException {
        openWithoutLoading();
        log = tier.load();
    }

    void restart() throws IOException {
        tier.close();
        open();
    }

    /** The files as they are now, as if the process was killed. */
    Path copy(Path copy) throws IOException {
        LogHouse.copy(path, copy);
        return copy;
    }

    long newest() {
        return invalidations.state().newest();
    }

    /** Returns whether the record is in the file. */
    boolean put(long number) {
        boolean isAppended =
                log.append(
                        LogHouse.id(number),
                        newest(),
                        LogHouse.LATER,
                        LogHouse.record(number, 1, 1_000));
        log.flush();
        return isAppended && log.has(LogHouse.id(number));
    }

    boolean has(long number) {
        // Fails if the record is wrong.
        return LogHouse.version(log, number) != null;
    }

    /** Adds a ban, and waits until it is durable or will not be. */
    Durability ban(String tag) throws Exception {
        invalidations.ban(Bans.tag(tag));
        return invalidations.sync().toCompletableFuture().get(90, TimeUnit.SECONDS);
    }

    List<String> bans() {
        return invalidations.bans().stream()
                .map(ban -> ban.condition().tag().orElseThrow())
                .sorted()
                .toList();
    }

    Path format() {
        return path.resolve("format");
    }

    @Override
    public void close() {
        tier.close();
        access.awaitOpen(0);
    }
}
