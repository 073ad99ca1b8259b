package dev.quire.proxy.cache;

import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.exchange.PlainWords;
import dev.quire.proxy.exchange.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Queue;
import java.util.SequencedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes responses as records, and removes records, by one thread. A response waits for some time
 * before it is written, since many are replaced soon. Thread-safe.
 */
final class RecordWriter {

    /** How long a response waits that is in memory too. */
    static final Duration WAIT = Duration.ofSeconds(2);

    /**
     * How long readers find a response that is not in memory after it was written: a request may
     * have asked the log just before.
     */
    private static final Duration OVERLAP = Duration.ofMillis(50);

    /** The writer looks so often for responses that are due, and is not woken for each. */
    private static final Duration BATCH = Duration.ofMillis(20);

    /** The same if no responses wait. */
    private static final Duration IDLE = Duration.ofSeconds(1);

    /** How long older records are removed at the end in place of writes that took too long. */
    private static final Duration LONGEST_REMOVAL = Duration.ofSeconds(3);

    private static final Duration FOREVER = Duration.ofDays(365);
    private static final String NOT_REMOVED = "a response could not be removed";

    /** Resources with removals that wait. A tier with more has lost one, so it is emptied. */
    static final int MAX_REMOVALS = 1 << 16;

    /** One step of the writer. */
    private sealed interface Step {
        /** A response to be written, which was stored under a route with {@code storage}. */
        record Write(
                HeldResponses.Hold hold,
                RecordHash storage,
                boolean isUrgent,
                long bytes,
                long dueNanos)
                implements Step {}

        /** A response that was written. */
        record Release(HeldResponses.Hold hold, long bytes, long dueNanos) implements Step {}

        /** All records are removed, since one that is outdated may be left. */
        record Emptying(String reason) implements Step {}

        /** The records of a resource that are outdated. */
        record Removal(RecordRemoval removal) implements Step {}

        /** Work on the log by its owner. */
        record Work(Runnable work) implements Step {}

        /** There is nothing else to do now. */
        record Flush() implements Step {}
    }

    private final HeldResponses held;
    private final RecordChanges records;
    private final PageStore store;
    private final Time time;
    private final TierCounts counts;
    private final Pace pace;
    private final Consumer<String> emptying;
    private final BiConsumer<RecordKey, RecordHash> outdatedReads;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.

    /** First: they are short, and must not be lost if there is no time for the writes. */
    private final SequencedMap<RecordHash, RecordRemoval> removals = new LinkedHashMap<>();

    private final Queue<Step> urgent = new ArrayDeque<>();
    private final Queue<Step.Write> later = new ArrayDeque<>();
    private final Queue<Step.Release> written = new ArrayDeque<>();
    private boolean isEnding;

    /** Of the responses that are not written yet, and of those that are still held after it. */
    private long waitingBytes;

    /** Of the response that is being written. */
    private long writingBytes;

    /** Incremented when another thread is to write. */
    private long session;

    /** Whether there was a step that may have changed the log since it was flushed. */
    private boolean isUnflushed;

    /** How many removals of each key wait, or are going on. */
    private final ConcurrentMap<RecordHash, Integer> removing = new ConcurrentHashMap<>();

    /** Why all records are about to be removed; null if they are not. Written under the lock. */
    private volatile @Nullable String overrun;

    private volatile @Nullable RecordLog log;
    private volatile @Nullable Thread thread;
    private volatile long maxBytes;
    private volatile long fileFromBytes = Long.MAX_VALUE;
    private volatile boolean longBodiesLeave;

    /** Whether the responses that wait are not written any more, but remove the older ones. */
    private volatile boolean isOutOfTime;

    /**
     * @param emptying removes all records, for a reason in the words of operators; called on the
     *     thread that writes when a removal was lost
     * @param outdatedReads called when records of a resource, under a route with that storage, were
     *     removed in place of a write
     */
    RecordWriter(
            PageStore store,
            RecordCodec codec,
            Time time,
            TierCounts counts,
            Consumer<String> emptying,
            BiConsumer<RecordKey, RecordHash> outdatedReads) {
        this.store = store;
        this.held = store.held();
        this.records = new RecordChanges(store, codec, time);
        this.time = time;
        this.counts = counts;
        this.emptying = emptying;
        this.outdatedReads = outdatedReads;
        this.pace = new Pace(time);
    }

    /**
     * @param queueBytes of the responses that wait
     * @param bytesASecond that are written at most
     * @param fileFrom the length from which responses are sent from their files
     */
    void limit(long queueBytes, long bytesASecond, long fileFrom) {
        maxBytes = queueBytes;
        pace.limit(bytesASecond);
        fileFromBytes = fileFrom;
    }

    /** Whether a long body leaves the memory once it is written. */
    void longBodiesLeaveMemory(boolean leave) {
        longBodiesLeave = leave;
    }

    /** Takes responses, which wait for {@link #start}. Returns the number of the session. */
    long expect() {
        lock.lock();
        try {
            isEnding = false;
            isOutOfTime = false;
            session++;
            return session;
        } finally {
            lock.unlock();
        }
    }

    /** Writes to {@code to} from now on. */
    void start(RecordLog to) {
        long mine = expect();
        to.writeAgain(true);
        log = to;
        var former = thread;
        var writer = new Thread(() -> run(former, mine), "quire-disk-writer");
        writer.setDaemon(true);
        thread = writer;
        writer.start();
    }

    /**
     * Removes and writes all that waits, for at most {@code most}. Responses that wait longer only
     * remove what they would replace, for some more seconds; not if {@code most} is zero. Returns
     * whether the thread has ended.
     */
    boolean end(Duration most) {
        lock.lock();
        try {
            isEnding = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        var writer = thread;
        if (hasEnded(writer, most)) {
            return true;
        }
        isOutOfTime = true;
        var to = log;
        if (to != null) {
            to.writeAgain(false);
        }
        return !most.isZero() && hasEnded(writer, LONGEST_REMOVAL);
    }

    private static boolean hasEnded(@Nullable Thread writer, Duration within) {
        try {
            return writer == null || writer.join(within);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Forgets all that waits. */
    void clear() {
        log = null;
        lock.lock();
        try {
            later.forEach(write -> held.release(write.hold()));
            later.clear();
            written.forEach(release -> held.release(release.hold()));
            written.clear();
            for (var step : urgent) {
                if (step instanceof Step.Write write) {
                    held.release(write.hold());
                }
            }
            urgent.clear();
            waitingBytes = writingBytes;
            forgetRemovals();
            overrun = null;
        } finally {
            lock.unlock();
        }
    }

    private void forgetRemovals() {
        removals.clear();
        removing.clear();
    }

    /** The bytes of the responses that are not written yet. */
    long waitingBytes() {
        lock.lock();
        try {
            return waitingBytes;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes {@code response}.
     *
     * @param isUrgent whether it is not in memory
     * @return false if too much waits, or there is no log
     */
    boolean write(StoredResponse response, RecordHash storage, boolean isUrgent) {
        // One that is longer than half of the queue leaves the other half to others.
        long bytes = Math.min(response.weightBytes(), maxBytes / 2 + 1);
        lock.lock();
        try {
            boolean isLong = response.weightBytes() > maxBytes;
            if (isEnding || (isLong ? isHalfFull() : waitingBytes + bytes > maxBytes)) {
                return false;
            }
            waitingBytes += bytes;
            long due = time.ticks() + (isUrgent ? 0 : WAIT.toNanos());
            var write = new Step.Write(held.hold(response), storage, isUrgent, bytes, due);
            if (isIdle()) {
                changed.signalAll();
            }
            if (isUrgent) {
                urgent.add(write);
            } else {
                later.add(write);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Then the oldest response waits no longer, since the next ones need its room. */
    private boolean isHalfFull() {
        return waitingBytes > maxBytes / 2;
    }

    /**
     * Removes the records that requests for {@code response} may select.
     *
     * @param except this one; null for all
     */
    void remove(StoredResponse response, @Nullable StoredResponse except, RecordKey key) {
        add(new RecordRemoval(key, all -> all.without(except).of(response)));
    }

    /** Removes the record that {@code request} selects. */
    void remove(SentRequest request, RecordKey key) {
        add(new RecordRemoval(key, all -> all.of(request)));
    }

    /** Runs {@code work} between two steps, after the writes that are due. */
    void inOrder(Runnable work) {
        lock.lock();
        try {
            urgent.add(new Step.Work(work));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Whether there is something to be written or removed. */
    boolean isWaiting() {
        lock.lock();
        try {
            return overrun != null || !removals.isEmpty() || !isIdle();
        } finally {
            lock.unlock();
        }
    }

    private boolean isIdle() {
        return urgent.isEmpty() && later.isEmpty() && written.isEmpty();
    }

    /** Whether a removal for {@code key} waits, or one of all records. */
    boolean isRemoving(RecordHash key) {
        return overrun != null || removing.containsKey(key);
    }

    private void add(RecordRemoval removal) {
        var key = removal.key().hash();
        lock.lock();
        try {
            if (overrun != null) {
                // All are removed anyway.
                return;
            }
            var waiting = removals.get(key);
            if (waiting != null) {
                boolean areMany = removals.size() > MAX_REMOVALS / RecordRemoval.MAX_JOINED;
                removals.put(key, areMany ? waiting.ofAll() : waiting.and(removal));
            } else if (removals.size() < MAX_REMOVALS) {
                removing.merge(key, 1, Integer::sum);
                removals.put(key, removal);
                changed.signalAll();
            } else {
                removeAll("more than " + MAX_REMOVALS + " outdated responses waited to be removed");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Removes all records, since a removal is lost. Until then nothing is found. */
    private void removeAll(String reason) {
        lock.lock();
        try {
            overrun = reason;
            forgetRemovals();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** All records are removed. */
    private void emptied(long mine) {
        lock.lock();
        try {
            if (mine == session) {
                overrun = null;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * @param former wrote before; its last write may still wait for the disk
     */
    private void run(@Nullable Thread former, long mine) {
        boolean goesOn = hasEnded(former, FOREVER);
        while (goesOn) {
            try {
                goesOn = takeNext(mine);
            } catch (RuntimeException | Error bug) {
                removeAll(NOT_REMOVED); // The step may be lost.
                LockSupport.parkNanos(this, BATCH.toNanos());
            }
        }
    }

    /** Returns whether there was a step. */
    private boolean takeNext(long mine) {
        var step = next(mine);
        if (step == null) {
            return false;
        }
        try {
            take(step);
        } catch (RuntimeException | Error fault) {
            counts.add(TierWrite.FAILED);
            if (!(step instanceof Step.Work)) {
                removeAll(NOT_REMOVED + ": " + PlainWords.of(fault));
            }
        }
        if (step instanceof Step.Emptying) {
            // A log that fails to remove them does not find them either.
            emptied(mine);
        }
        return true;
    }

    private void take(Step step) {
        var to = log;
        switch (step) {
            case Step.Write write -> {
                try {
                    if (to != null) {
                        var outcome = written(write, to);
                        counts.add(outcome);
                        if (outcome == TierWrite.STORED) {
                            leaveMemory(write.hold().response());
                        }
                    }
                } finally {
                    done(write);
                }
            }
            case Step.Release release -> held.release(release.hold());
            case Step.Emptying(var reason) -> emptying.accept(reason);
            case Step.Removal(var removal) -> {
                try {
                    if (to != null) {
                        records.remove(removal.key(), removal.variants(), to);
                    }
                } finally {
                    removing.computeIfPresent(
                            removal.key().hash(), (same, count) -> count == 1 ? null : count - 1);
                }
            }
            case Step.Work(var work) -> work.run();
            case Step.Flush flush -> {
                if (to != null) {
                    to.flush();
                }
            }
        }
    }

    /** Sending a long body from its file costs less than from memory. */
    private void leaveMemory(StoredResponse response) {
        int bytes = response.length();
        if (longBodiesLeave
                && bytes >= FileBody.SENDFILE_BYTES
                && bytes >= fileFromBytes
                && FileBody.maySend(response)) {
            store.drop(response);
        }
    }

    private void done(Step.Write write) {
        if (!write.isUrgent()) {
            held.release(write.hold());
        }
        lock.lock();
        try {
            writingBytes = 0;
            if (write.isUrgent()) {
                written.add(
                        new Step.Release(
                                write.hold(), write.bytes(), time.ticks() + OVERLAP.toNanos()));
            } else {
                waitingBytes -= write.bytes();
            }
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Step next(long mine) {
        lock.lock();
        try {
            while (mine == session) {
                Step step = removal();
                if (step == null) {
                    step = urgent.poll();
                }
                if (step == null) {
                    step = due();
                }
                if (step == null && isUnflushed) {
                    step = new Step.Flush();
                }
                switch (step) {
                    case Step.Write write -> {
                        writingBytes = write.bytes();
                        isUnflushed = true;
                    }
                    case Step.Release release -> waitingBytes -= release.bytes();
                    case Step.Emptying empty -> isUnflushed = true;
                    case Step.Removal removal -> isUnflushed = true;
                    case Step.Work work -> isUnflushed = true;
                    case Step.Flush flush -> isUnflushed = false;
                    case null -> {}
                }
                if (step != null || isEnding) {
                    return step;
                }
                awaitStep();
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Step removal() {
        var reason = overrun;
        if (reason != null) {
            return new Step.Emptying(reason);
        }
        var first = removals.pollFirstEntry();
        return first == null ? null : new Step.Removal(first.getValue());
    }

    private @Nullable Step due() {
        long now = time.ticks();
        var release = written.peek();
        if (release != null && (isEnding || release.dueNanos() - now <= 0)) {
            return written.poll();
        }
        var write = later.peek();
        boolean isDue = write != null && (isEnding || isHalfFull() || write.dueNanos() - now <= 0);
        return isDue ? later.poll() : null;
    }

    /** The clock by which responses are due may be one that tests set. */
    @SuppressWarnings("WaitNotInLoop") // next() calls it in a loop
    private void awaitStep() {
        try {
            changed.awaitNanos((isIdle() ? IDLE : BATCH).toNanos());
        } catch (InterruptedException e) {
            // Nothing interrupts this thread: an interrupt would close the files.
            Thread.currentThread().interrupt();
            isEnding = true;
        }
    }

    private TierWrite written(Step.Write write, RecordLog to) {
        var response = write.hold().response();
        var key = RecordKey.of(response.key(), write.storage());
        var outcome = TierWrite.FAILED;
        try {
            outcome = attempted(write, key, to);
        } catch (OutOfMemoryError lack) {
            // A removal needs less memory.
        } finally {
            // A newer response that has replaced it may not be written.
            if (outcome != TierWrite.STORED || write.hold().isReplaced()) {
                try {
                    records.remove(key, all -> all.of(response), to);
                } finally {
                    // They may have the older one, which this one hides no longer.
                    outdatedReads.accept(key, write.storage());
                }
            }
        }
        return outcome;
    }

    private TierWrite attempted(Step.Write write, RecordKey key, RecordLog to) {
        var response = write.hold().response();
        if (write.hold().isReplaced() || isHidden(response)) {
            return TierWrite.REPLACED;
        }
        boolean isInTime = !isOutOfTime && pace.take(response.weightBytes());
        return isInTime ? records.append(response, key, to) : TierWrite.DROPPED;
    }

    private boolean isHidden(StoredResponse response) {
        var invalidations = store.invalidations();
        // The newer its position is, the fewer of them must be kept.
        return !invalidations.isUsable(response)
                && InvalidationEffect.isHidden(response, invalidations);
    }
}
