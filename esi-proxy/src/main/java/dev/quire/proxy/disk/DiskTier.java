package dev.quire.proxy.disk;

import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationLog;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.cache.LogNote;
import dev.quire.proxy.cache.RecordLog;
import dev.quire.proxy.exchange.PlainWords;
import dev.quire.proxy.exchange.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The directory of the disk tier: its lock, the records, and the journal of the invalidations that
 * they are tested against. One process uses it at a time. Thread-safe.
 */
public final class DiskTier implements AutoCloseable {

    /*
     * The records of a directory are only usable together with all invalidations since they were
     * written. So the file "format" names the tier, and its segments and its journal have the same
     * id. Without that file, or without the whole journal, the next process begins another tier and
     * deletes the segments. That is also what makes a journal that fails harmless: it is deleted.
     *
     * The last numbers that a killed process gave to invalidations may be lost, and given again. So
     * the positions in the files are never behind the last durable number. A file with a later one
     * shows that durable entries are lost, as in a backup that was restored; it empties the tier.
     */

    /** How long {@link #close} waits for each sync of the journal, and for the other files. */
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(2);

    /** For the lock, the journal, its end and its successor, and index files. */
    private static final int OTHER_FILES = 6;

    private static final Disk SYSTEM =
            new Disk(
                    FileAccess.SYSTEM,
                    (file, withMetadata) -> file.force(withMetadata),
                    InvalidationJournal.PATIENCE);

    private final Terms terms;
    private final Disk disk;
    private final LogDirectory directory;
    private final DirectoryLock lock;
    private final Cache cache;
    private final Time time;
    private final Beginning beginning;
    private final InvalidationJournal journal;
    private final InvalidationLog entries = new Entries();
    private final Consumer<LogNote> notes;

    /** Held while the log is opened or closed. */
    private final ReentrantLock opening = new ReentrantLock();

    private final CountDownLatch closing = new CountDownLatch(1);
    private final AtomicBoolean hasFailed = new AtomicBoolean();
    private final Retirement retirement;

    /** Whether a later process will know the entries that a failed journal does not have. */
    private final CompletableFuture<Durability> outcome = new CompletableFuture<>();

    private final CompletableFuture<String> failure = new CompletableFuture<>();
    private volatile @Nullable SegmentLog log;
    private volatile boolean isIncomplete;

    /**
     * The configuration.
     *
     * @param path of the directory
     * @param sizeBytes of the segments
     * @param indexBytes the bound of the index in memory
     */
    public record Terms(Path path, long sizeBytes, long indexBytes) {}

    /**
     * The file system.
     *
     * @param patience of the journal
     * @param threads for what must be done after a failure
     */
    record Disk(
            FileAccess access,
            JournalFiles.Sync sync,
            InvalidationJournal.Patience patience,
            ThreadFactory threads) {
        Disk(FileAccess access, JournalFiles.Sync sync, InvalidationJournal.Patience patience) {
            this(
                    access,
                    sync,
                    patience,
                    Thread.ofPlatform().daemon().name("quire-disk-failure").factory());
        }
    }

    /** The side of the memory. */
    private record Cache(
            Invalidations invalidations, LongSupplier oldestWaiting, RecordLog.Reinsertion again) {}

    /** The moment in which a tier takes part in the invalidations of the process. */
    public interface Entry {
        /** At any time. */
        Entry ALWAYS =
                change -> {
                    change.run();
                    return true;
                };

        /** Runs {@code change}, which does not wait, unless it is too late; returns whether. */
        boolean enter(Runnable change);
    }

    private DiskTier(
            Terms terms,
            Disk disk,
            LogDirectory directory,
            DirectoryLock lock,
            Cache cache,
            Time time,
            Beginning beginning) {
        this.terms = terms;
        this.disk = disk;
        this.directory = directory;
        this.lock = lock;
        this.cache = cache;
        this.time = time;
        this.beginning = beginning;
        this.journal =
                new InvalidationJournal(
                        files(terms, disk, beginning.tier()),
                        cache.invalidations(),
                        time,
                        disk.patience());
        this.notes = journal::note;
        this.retirement = new Retirement(directory, lock, disk, closing, this::retired);
    }

    /** The most files that a tier of {@code sizeBytes} has open. */
    public static int descriptors(long sizeBytes) {
        return new LogSize(sizeBytes, 0).slots() + OTHER_FILES;
    }

    /**
     * Locks the directory, which is created if it is absent, and resumes the invalidations of the
     * former process. All further ones are added to the journal. Blocks for a moment: the records
     * are not {@linkplain #load loaded} yet.
     *
     * @param invalidations still empty
     * @param oldestWaiting returns the position of the oldest response that waits to be written, or
     *     may soon; {@link Long#MAX_VALUE} if there are none. A response waits until {@link
     *     RecordLog#append} returned
     * @throws IOException if the directory cannot be used, with its path, in the words of operators
     */
    public static DiskTier open(
            Terms terms,
            Invalidations invalidations,
            LongSupplier oldestWaiting,
            RecordLog.Reinsertion again,
            Time time)
            throws IOException {
        return open(terms, invalidations, oldestWaiting, again, time, SYSTEM);
    }

    static DiskTier open(
            Terms terms,
            Invalidations invalidations,
            LongSupplier oldestWaiting,
            RecordLog.Reinsertion again,
            Time time,
            Disk disk)
            throws IOException {
        var cache = new Cache(invalidations, oldestWaiting, again);
        return opened(terms, cache, time, Entry.ALWAYS, false, disk);
    }

    /**
     * The same for a process that may go on without the tier meanwhile.
     *
     * @param entry decides whether it is in time, once the files were read
     */
    public static DiskTier open(
            Terms terms,
            Invalidations invalidations,
            LongSupplier oldestWaiting,
            RecordLog.Reinsertion again,
            Time time,
            Entry entry)
            throws IOException {
        var cache = new Cache(invalidations, oldestWaiting, again);
        try {
            return opened(terms, cache, time, entry, false, SYSTEM);
        } catch (IOException e) {
            if (Files.notExists(terms.path())) {
                // There is nothing to be used later.
                invalidations.endLog();
            }
            throw e;
        }
    }

    /**
     * Opens the directory again, empty, in a process that went on without the tier. Does not change
     * the invalidations if another process uses it, or if its files cannot be made unusable first.
     *
     * @throws IOException as {@link #open}
     */
    public static DiskTier renew(
            Terms terms,
            Invalidations invalidations,
            LongSupplier oldestWaiting,
            RecordLog.Reinsertion again,
            Time time)
            throws IOException {
        return renew(terms, invalidations, oldestWaiting, again, time, SYSTEM);
    }

    static DiskTier renew(
            Terms terms,
            Invalidations invalidations,
            LongSupplier oldestWaiting,
            RecordLog.Reinsertion again,
            Time time,
            Disk disk)
            throws IOException {
        var cache = new Cache(invalidations, oldestWaiting, again);
        return opened(terms, cache, time, Entry.ALWAYS, true, disk);
    }

    /**
     * The process goes on without the tier, but a later one may use what is stored, and will not
     * know the invalidations of this one.
     */
    public static void goWithout(Invalidations invalidations) {
        invalidations.logTo(new UndurableLog(), () -> Long.MAX_VALUE);
    }

    private static DiskTier opened(
            Terms terms, Cache cache, Time time, Entry entry, boolean isAgain, Disk disk)
            throws IOException {
        var directory = new LogDirectory(terms.path(), disk.access());
        var lock = locked(terms.path());
        boolean isOpen = false;
        try {
            if (isAgain) {
                directory.format().delete();
                disk.sync().directory(terms.path());
            }
            var beginning =
                    isAgain ? Beginning.empty(null) : beginning(terms, directory, time, disk);
            beginning.makeSpace(directory, files(terms, disk, beginning.tier()));
            var tier = new DiskTier(terms, disk, directory, lock, cache, time, beginning);
            tier.begin(entry);
            isOpen = true;
            return tier;
        } catch (IOException e) {
            throw unusable(terms.path(), e);
        } finally {
            if (!isOpen) {
                abandon(directory, lock, cache.invalidations(), disk);
            }
        }
    }

    private static DirectoryLock locked(Path path) throws IOException {
        try {
            return DirectoryLock.of(OwnerOnly.directory(path));
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    private static IOException unusable(Path path, IOException fault) {
        boolean isOther = Files.exists(path) && !Files.isDirectory(path);
        return new IOException(
                path + ": " + (isOther ? "not a directory" : PlainWords.of(fault)), fault);
    }

    /** The process goes on without the tier. So a later one must not use what is stored. */
    private static void abandon(
            LogDirectory directory, DirectoryLock lock, Invalidations invalidations, Disk disk) {
        try (lock) {
            directory.format().delete();
            disk.sync().directory(directory.path());
            invalidations.endLog();
        } catch (IOException e) {
            // The fault is reported already.
            goWithout(invalidations);
        }
    }

    private static Beginning beginning(Terms terms, LogDirectory directory, Time time, Disk disk)
            throws IOException {
        String reason;
        switch (directory.format().read()) {
            case TierFormat.Reading.Unknown(var why) -> reason = why;
            case TierFormat.Reading.Known(var tier) -> {
                switch (files(terms, disk, tier).read(Clocks.of(time))) {
                    case JournalReading.Usable(var state, var generation) -> {
                        return new Beginning(tier, state, generation, state.floor(), null);
                    }
                    case JournalReading.Unusable(var loss) -> reason = loss.words();
                }
            }
        }
        // It is written again when the segments are deleted.
        directory.format().delete();
        return Beginning.empty(directory.segments().isEmpty() ? null : reason);
    }

    private static JournalFiles files(Terms terms, Disk disk, UUID tier) {
        return new JournalFiles(terms.path(), tier, disk.sync());
    }

    private void begin(Entry entry) throws IOException {
        if (!entry.enter(this::enter)) {
            throw new IOException("it took too long to open");
        }
        // First: callers wait for entries meanwhile.
        journal.failure()
                .thenAccept(reason -> fail("the journal of invalidations has failed: " + reason));
        try {
            journal.begin(beginning.generation());
        } catch (IOException e) {
            closing.countDown();
            throw e;
        }
    }

    private void enter() {
        var state = beginning.state();
        if (state != null) {
            cache.invalidations().resume(state);
        }
        cache.invalidations().logTo(entries, this::oldest);
        cache.invalidations().notes().passTo(notes);
    }

    /** Receives the entries. */
    private final class Entries implements InvalidationLog {

        @Override
        public void append(long number, InvalidationEntry entry) {
            journal.append(number, entry);
        }

        /** {@inheritDoc} Completes after at most 200 ms. */
        @Override
        public CompletionStage<Durability> sync() {
            return hasFailed.get() ? outcome.minimalCompletionStage() : known(journal.sync());
        }
    }

    /** Returns {@code durable} unless the tier fails: then the outcome of that. */
    private CompletionStage<Durability> known(CompletionStage<Durability> durable) {
        return durable.thenCompose(durability ->
                durability == Durability.NOT_DURABLE && hasFailed.get()
                        ? outcome
                        : CompletableFuture.completedStage(durability));
    }

    /** The position of the oldest record that is in the files or may soon be. */
    private long oldest() {
        if (hasFailed.get()) {
            return Long.MAX_VALUE;
        }
        // First: a response that leaves the queue meanwhile is in the log by then.
        long waiting = cache.oldestWaiting().getAsLong();
        var opened = log;
        return Math.min(waiting, opened == null ? beginning.floor() : opened.oldestPosition());
    }

    /**
     * Opens the log, which the tier closes. Blocks: reads the index. Once.
     *
     * @throws IOException if that fails; then the tier has failed too
     */
    public RecordLog load() throws IOException {
        opening.lock();
        try {
            if (closing.getCount() == 0) {
                throw new IOException("the disk tier is closed");
            }
            var opened = opened();
            log = opened;
            return opened;
        } finally {
            opening.unlock();
        }
    }

    private SegmentLog opened() throws IOException {
        try {
            return SegmentLog.open(
                    directory,
                    terms.sizeBytes(),
                    terms.indexBytes(),
                    new LogSequence(beginning.tier(), journal::durableNumber, cache.again()),
                    time::steadyWall);
        } catch (IOException e) {
            fail("the records cannot be loaded: " + PlainWords.of(e));
            throw unusable(terms.path(), e);
        } catch (RuntimeException | Error e) {
            fail("the records cannot be loaded: " + PlainWords.of(e));
            throw e;
        }
    }

    /**
     * Why the tier began empty although there were files, in the words of operators. The reason may
     * be known only after {@link #load}.
     */
    public Optional<String> emptied() {
        var opened = log;
        return Optional.ofNullable(beginning.emptied())
                .or(() -> Optional.ofNullable(opened == null ? null : opened.emptied()));
    }

    private void fail(String reason) {
        if (hasFailed.compareAndSet(false, true)) {
            outcome.thenRun(() -> failure.complete(reason));
            retirement.start();
            outcome.completeOnTimeout(
                    Durability.NOT_DURABLE,
                    disk.patience().caller().toNanos(),
                    TimeUnit.NANOSECONDS);
        }
    }

    private void retired() {
        cache.invalidations().endLog(entries);
        outcome.complete(Durability.DURABLE);
    }

    /** The thread that makes the files of a failed tier unusable. */
    Thread retirement() {
        return retirement.thread();
    }

    /** Fails the tier if its directory was removed or replaced. Blocks. */
    public void check() {
        if (!lock.isIntact()) {
            fail("its directory was removed or replaced, or cannot be read");
        }
    }

    /**
     * Completes with the reason, in the words of operators, once the tier has failed for good: the
     * journal, or loading. Then the log must not be used any more. Whether a later process may use
     * the files is known by then: {@link Invalidations#sync} tells.
     */
    public CompletionStage<String> failure() {
        return failure.minimalCompletionStage();
    }

    /**
     * The state of the tier.
     *
     * @param log empty until it is loaded
     * @param journalBytes the size of the journal
     * @param journalCommits the number of times that entries were made durable
     */
    public record Stats(LogStats log, long journalBytes, long journalCommits) {}

    public Stats stats() {
        var opened = log;
        return new Stats(
                opened == null ? LogStats.NONE : opened.stats(),
                journal.bytes(),
                journal.commits());
    }

    /** Whether callers did not wait until entries were durable since the last call. */
    public boolean wasSlow() {
        return journal.wasSlow();
    }

    /** Removes all records; the invalidations remain. Blocks. After {@link #load}. */
    public void drop() {
        loaded().drop();
    }

    /** Completes the newest file of records. Blocks. After {@link #load}. */
    public void seal() {
        loaded().seal();
    }

    private SegmentLog loaded() {
        var opened = log;
        if (opened == null) {
            throw new IllegalStateException("the log is not loaded");
        }
        return opened;
    }

    /**
     * Stores all entries so far, completes the files and unlocks the directory, so that another
     * process finds all records. Later invalidations are not stored. The tier fails if the disk
     * completes no sync for two seconds meanwhile. Waits for all entries, then at most two seconds
     * for the other files; the directory is unlocked as soon as no write of a record is going on.
     */
    @Override
    public void close() {
        cache.invalidations().notes().endPassing(notes);
        closing.countDown();
        // Those that were not durable in time too.
        known(journal.settled(LONGEST_CLOSE)).toCompletableFuture().join();
        var closer = Thread.ofPlatform().daemon().name("quire-disk-close").start(this::closeFiles);
        try {
            closer.join(LONGEST_CLOSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * As {@link #close}, after records or removals were not written: no later process uses the
     * files, unless they cannot be changed.
     */
    public void closeIncomplete() {
        isIncomplete = true;
        close();
    }

    private void closeFiles() {
        if (isIncomplete) {
            // First: a write of a record may hang.
            deleteFormat();
        }
        opening.lock();
        try (lock) {
            closeLog();
        } catch (IOException ignored) {
            // The next start reads files that were not completed too.
        } finally {
            opening.unlock();
        }
    }

    private void deleteFormat() {
        try {
            directory.format().retire();
        } catch (IOException e) {
            // The next start uses files that cannot be changed.
        }
    }

    private void closeLog() throws IOException {
        var opened = log;
        // A failed journal has ended itself, and its disk may hang.
        boolean isWhole = !hasFailed.get();
        try {
            if (opened != null && isWhole) {
                opened.close();
            } else if (opened != null) {
                opened.closeFiles();
            }
        } finally {
            if (isWhole) {
                cache.invalidations().endLog(entries);
            }
            journal.close();
        }
    }
}
