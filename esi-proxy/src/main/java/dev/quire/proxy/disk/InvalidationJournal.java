package dev.quire.proxy.disk;

import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationLog;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.cache.LogNote;
import dev.quire.proxy.disk.JournalFiles.Written;
import dev.quire.proxy.exchange.PlainWords;
import dev.quire.proxy.exchange.Time;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The durable log of {@link Invalidations}. Thread-safe; only its own threads wait for the disk.
 */
public final class InvalidationJournal implements InvalidationLog, AutoCloseable {

    /*
     * Entries wait in a queue. One thread writes all of them and makes them durable together, so
     * that many entries share one sync. An entry waits up to 5 ms for others, or until a caller
     * waits for it.
     *
     * A journal never forgets single entries. At its start, and when it reaches 8 MiB, the state of
     * the invalidations is written to another file, by another thread. Then the first one adds the
     * entries since and renames the file.
     *
     * A caller waits for a moment only. A slow disk is waited for: it has the entries later. A
     * journal whose disk completes no sync for seconds has failed for good.
     */

    static final long COMPACT_BYTES = 8 << 20;

    static final Patience PATIENCE = new Patience(Duration.ofMillis(100), Duration.ofSeconds(5));

    /** Between two looks at a disk that a caller waits for. */
    private static final Duration LOOK = Duration.ofMillis(100);

    private static final long GATHERING_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Entries in the queue; a disk so far behind does not catch up. */
    static final int MAX_WAITING = 1 << 16;

    private static final String CANNOT_WRITE = "it cannot be written: ";
    private static final int BYTES_AT_A_TIME = 1 << 20;

    /**
     * How long the disk is waited for.
     *
     * @param caller until a caller knows that its entries are not durable yet
     * @param disk until a disk that completes no sync has failed
     */
    record Patience(Duration caller, Duration disk) {}

    /** A caller that waits for the first {@code upTo} items of this journal. */
    private record Waiter(long upTo, CompletableFuture<Durability> result) {

        /** Completes it if it waits for no later entry than {@code durable}. */
        boolean isCompleted(long durable) {
            if (upTo <= durable) {
                result.complete(Durability.DURABLE);
            }
            return upTo <= durable;
        }
    }

    /** A file with the state when the present one ended at {@code mark}. */
    private record Compacted(Written file, long mark, CompletableFuture<Boolean> done) {}

    private final JournalFiles files;
    private final Invalidations invalidations;
    private final Time time;
    private final Patience patience;
    private final Thread writer;

    private final Queue<JournalItem> queue = new ConcurrentLinkedQueue<>();
    private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<String> failure = new CompletableFuture<>();
    private final AtomicBoolean isWatched = new AtomicBoolean();
    private final AtomicBoolean isCompacting = new AtomicBoolean();
    private final AtomicReference<@Nullable Compacted> compacted = new AtomicReference<>();

    /** The number of items that were added, or are at once. */
    private final AtomicLong appended = new AtomicLong();

    /** The number of completed syncs of files. */
    private final AtomicLong syncs = new AtomicLong();

    // Written by the writer alone.
    private final AtomicLong durable = new AtomicLong();
    private final AtomicLong commits = new AtomicLong();
    private volatile long durableNumber;
    private volatile @Nullable Written file;

    /** Whether the writer sleeps until the next entry. */
    private volatile boolean isIdle;

    private volatile Duration longestHang;
    private volatile boolean wasSlow;
    private volatile boolean isClosing;
    private volatile boolean hasEnded;

    /** Creates one that has no file until {@link #begin}. */
    InvalidationJournal(
            JournalFiles files, Invalidations invalidations, Time time, Patience patience) {
        this.files =
                new JournalFiles(
                        files.directory(),
                        files.tier(),
                        (file, withMetadata) -> {
                            files.sync().force(file, withMetadata);
                            syncs.incrementAndGet();
                        });
        this.invalidations = invalidations;
        this.time = time;
        this.patience = patience;
        this.longestHang = patience.disk();
        this.writer = Thread.ofPlatform().daemon().name("quire-journal").unstarted(this::run);
    }

    /** Reads the journal of {@code tier}; changes nothing. Before {@link #begin}. */
    public static JournalReading read(Path directory, UUID tier, Time time) {
        return files(directory, tier).read(Clocks.of(time));
    }

    private static JournalFiles files(Path directory, UUID tier) {
        return new JournalFiles(directory, tier, (file, withMetadata) -> file.force(withMetadata));
    }

    /**
     * Writes a new journal in the place of a former one, and adds all further entries of {@code
     * invalidations}. Blocks.
     *
     * @param generation of the former one, of which {@code invalidations} has all entries; 0 for
     *     the first one
     * @param oldest returns the number of the entry up to which the oldest response was tested that
     *     is stored beside the journal, or may be before the next call; never decreases, does not
     *     wait
     */
    public static InvalidationJournal begin(
            Path directory,
            UUID tier,
            long generation,
            Invalidations invalidations,
            LongSupplier oldest,
            Time time)
            throws IOException {
        return begin(files(directory, tier), generation, invalidations, oldest, time, PATIENCE);
    }

    static InvalidationJournal begin(
            JournalFiles files,
            long generation,
            Invalidations invalidations,
            LongSupplier oldest,
            Time time,
            Patience patience)
            throws IOException {
        var journal = new InvalidationJournal(files, invalidations, time, patience);
        invalidations.logTo(journal, oldest);
        journal.begin(generation);
        return journal;
    }

    /** Writes the first file, once all further entries are added. Blocks. */
    void begin(long generation) throws IOException {
        try {
            var state = invalidations.state();
            var first = files.write(state, generation + 1, Clocks.of(time));
            file = first;
            first.replace();
            durableNumber = state.newest();
        } catch (IOException | RuntimeException e) {
            fail(CANNOT_WRITE + PlainWords.of(e));
            closeFiles();
            throw e;
        }
        writer.start();
    }

    @Override
    public void append(long number, InvalidationEntry entry) {
        add(new JournalItem.Entry(number, entry));
    }

    /** Adds a note, which is durable as the entries are. */
    void note(LogNote note) {
        add(new JournalItem.Note(note));
    }

    private void add(JournalItem item) {
        if (failure.isDone()) {
            return;
        }
        // First: so all items before one in the queue are counted when it is there.
        long count = appended.incrementAndGet();
        queue.add(item);
        if (isIdle) {
            LockSupport.unpark(writer);
        }
        if (count - durable.get() > MAX_WAITING) {
            fail("the disk is too slow: " + MAX_WAITING + " entries wait");
        }
    }

    /** {@inheritDoc} Completes after at most 100 ms. */
    @Override
    public CompletionStage<Durability> sync() {
        var result = settled();
        if (!result.isDone()) {
            result.completeOnTimeout(
                    Durability.NOT_DURABLE, patience.caller().toNanos(), TimeUnit.NANOSECONDS);
            result.thenAccept(
                    durability -> wasSlow = wasSlow || durability == Durability.NOT_DURABLE);
        }
        return result.minimalCompletionStage();
    }

    /**
     * Completes once the entries so far are durable, or the journal has failed: from now on also if
     * the disk completes no sync for {@code longest}.
     */
    CompletionStage<Durability> settled(Duration longest) {
        longestHang = longest.compareTo(longestHang) < 0 ? longest : longestHang;
        return settled();
    }

    private CompletableFuture<Durability> settled() {
        long upTo = appended.get();
        if (durable.get() >= upTo && !failure.isDone()) {
            return CompletableFuture.completedFuture(Durability.DURABLE);
        }
        var result = new CompletableFuture<Durability>();
        waiters.add(new Waiter(upTo, result));
        LockSupport.unpark(writer);
        // It may have become durable, or failed, before the waiter was seen.
        if (failure.isDone()) {
            result.complete(Durability.NOT_DURABLE);
        } else if (durable.get() >= upTo) {
            result.complete(Durability.DURABLE);
        } else {
            watch();
        }
        return result;
    }

    /** Fails if the disk hangs while callers wait. */
    private void watch() {
        if (isWatched.compareAndSet(false, true)) {
            look(syncs.get(), LOOK);
        }
    }

    /**
     * Counts the time in looks: a pause of the process, however long, is one look.
     *
     * @param former the number of syncs that the disk had completed {@code looked} before the look
     */
    private void look(long former, Duration looked) {
        CompletableFuture.delayedExecutor(LOOK.toNanos(), TimeUnit.NANOSECONDS, Runnable::run)
                .execute(() -> looked(former, looked));
    }

    private void looked(long former, Duration looked) {
        waiters.removeIf(waiter -> waiter.isCompleted(durable.get()));
        long completed = syncs.get();
        if (waiters.isEmpty() || failure.isDone()) {
            isWatched.set(false);
            if (!waiters.isEmpty() && !failure.isDone()) {
                watch();
            }
        } else if (completed > former) {
            look(completed, LOOK);
        } else if (looked.compareTo(longestHang) < 0) {
            look(former, looked.plus(LOOK));
        } else {
            fail("the disk has not completed a sync for " + looked.toMillis() + " ms");
        }
    }

    /** Whether a caller did not wait until its entries were durable since the last call. */
    boolean wasSlow() {
        boolean was = wasSlow;
        wasSlow = false;
        return was;
    }

    /** Completes with the reason once the journal has failed; then it takes no more entries. */
    public CompletionStage<String> failure() {
        return failure.minimalCompletionStage();
    }

    /** The number of the last entry that every later process will know. */
    long durableNumber() {
        return durableNumber;
    }

    /** The number of times that entries were made durable. */
    public long commits() {
        return commits.get();
    }

    /** The size of the journal. */
    public long bytes() {
        var present = file;
        return present == null ? 0 : present.end();
    }

    /**
     * Writes the journal anew, without the entries that cover no stored response any more.
     * Completes with whether it did; false if it is being written anew already.
     */
    public CompletionStage<Boolean> compact() {
        var done = new CompletableFuture<Boolean>();
        var present = file;
        if (present == null || hasEnded || !isCompacting.compareAndSet(false, true)) {
            done.complete(false);
            return done;
        }
        try {
            Thread.ofPlatform()
                    .daemon()
                    .name("quire-journal-compaction")
                    .start(() -> compact(present, done));
        } catch (OutOfMemoryError e) {
            // There is no thread for it.
            postponeCompaction(present, done);
        }
        return done.minimalCompletionStage();
    }

    private void compact(Written present, CompletableFuture<Boolean> done) {
        try {
            // First: what the file has up to here is in the state.
            long mark = present.end();
            var next =
                    files.write(invalidations.state(), present.generation() + 1, Clocks.of(time));
            compacted.set(new Compacted(next, mark, done));
            LockSupport.unpark(writer);
            if (hasEnded) {
                dropCompacted();
            }
        } catch (IOException | Error e) {
            postponeCompaction(present, done);
        } catch (RuntimeException e) {
            fail("it cannot be compacted: " + PlainWords.of(e));
            done.complete(false);
        }
    }

    /** The present file goes on. */
    private void postponeCompaction(Written present, CompletableFuture<Boolean> done) {
        present.postponeCompaction();
        isCompacting.set(false);
        done.complete(false);
    }

    private void run() {
        try {
            while (!isOver()) {
                await();
                replaceFile();
                commit();
            }
        } catch (IOException | RuntimeException | Error e) {
            fail(CANNOT_WRITE + PlainWords.of(e));
        } finally {
            hasEnded = true;
            closeFiles();
        }
    }

    private boolean isOver() {
        return failure.isDone() || (isClosing && queue.isEmpty());
    }

    private void await() {
        isIdle = true;
        while (queue.isEmpty() && !isHurried()) {
            LockSupport.park(this);
        }
        isIdle = false;
        long end = System.nanoTime() + GATHERING_NANOS;
        long rest = GATHERING_NANOS;
        while (rest > 0 && waiters.isEmpty() && !isHurried()) {
            LockSupport.parkNanos(this, rest);
            rest = end - System.nanoTime();
        }
    }

    private boolean isHurried() {
        return isClosing || failure.isDone() || compacted.get() != null;
    }

    private void commit() throws IOException {
        var clocks = Clocks.of(time);
        var frames = Unpooled.buffer();
        int count = 0;
        long last = durableNumber;
        while (frames.readableBytes() < BYTES_AT_A_TIME && !queue.isEmpty()) {
            var item = queue.remove();
            JournalFormat.writeFrame(item, clocks, frames);
            if (item instanceof JournalItem.Entry entry) {
                last = entry.number();
            }
            count++;
        }
        var present = file;
        if (count == 0 || present == null) {
            return;
        }
        present.append(frames);
        // Entries that are in the first file already may come again.
        durableNumber = Math.max(durableNumber, last);
        long upTo = durable.addAndGet(count);
        commits.incrementAndGet();
        waiters.removeIf(waiter -> waiter.isCompleted(upTo));
        if (present.isCompactionDue()) {
            compact();
        }
    }

    private void replaceFile() throws IOException {
        var next = compacted.getAndSet(null);
        var former = file;
        if (next == null || former == null) {
            return;
        }
        next.file().replace(former, next.mark());
        file = next.file();
        isCompacting.set(false);
        next.done().complete(true);
        former.close();
    }

    private void fail(String reason) {
        if (failure.complete(reason)) {
            queue.clear();
            waiters.forEach(waiter -> waiter.result().complete(Durability.NOT_DURABLE));
            waiters.clear();
            LockSupport.unpark(writer);
        }
    }

    private void dropCompacted() {
        var next = compacted.getAndSet(null);
        if (next != null) {
            close(next.file());
            next.done().complete(false);
        }
    }

    private void closeFiles() {
        dropCompacted();
        var present = file;
        if (present != null) {
            close(present);
        }
    }

    /** All entries that were reported as durable are synced by then. */
    private static void close(Written file) {
        try {
            file.close();
        } catch (IOException ignored) {
            // nothing is lost
        }
    }

    /** Stores the entries so far, and ends. Waits for the disk unless it hangs. */
    @Override
    public void close() {
        invalidations.endLog(this);
        isClosing = true;
        LockSupport.unpark(writer);
        settled().join();
        try {
            // It closes its files, or hangs.
            writer.join(patience.caller());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
