package dev.quire.proxy.cache;

import com.github.benmanes.caffeine.cache.Cache;
import dev.quire.proxy.fault.InternalErrors;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Writes responses to a shared store, by one thread. Thread-safe. */
final class SharedWriter {

    /**
     * A response to be written; has a reference of its own.
     *
     * @param begun the newest entry of the invalidations when its fetch began
     */
    private record Write(
            StoredResponse response,
            RecordKey key,
            long begun,
            @Nullable SharedLease lease,
            long bytes) {}

    private final InternalErrors errors =
            new InternalErrors(
                    LoggerFactory.getLogger(SharedWriter.class),
                    "shared: a write failed; the next ones go on");

    private final PageStore store;
    private final TierCounts counts;
    private final Cache<RecordHash, VarySpec> specs;
    private final SharedRemovals removals;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private final Queue<Write> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private boolean isEnding = true;

    private SharedTier.@Nullable Use to;
    private @Nullable Thread thread;

    /**
     * @param specs those that are known
     */
    SharedWriter(
            PageStore store,
            TierCounts counts,
            Cache<RecordHash, VarySpec> specs,
            SharedRemovals removals) {
        this.store = store;
        this.counts = counts;
        this.specs = specs;
        this.removals = removals;
    }

    void start(SharedTier.Use use) {
        lock.lock();
        try {
            to = use;
            isEnding = false;
        } finally {
            lock.unlock();
        }
        thread = Thread.ofPlatform().daemon().name("quire-shared-writer").start(() -> run(use));
    }

    /** Writes what waits for {@code most} at most, and forgets the rest. */
    void end(Duration most) {
        lock.lock();
        try {
            isEnding = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            var writing = thread;
            if (writing != null) {
                writing.join(most);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (var write = poll(); write != null; write = poll()) {
            write.response().release();
        }
    }

    long waitingBytes() {
        lock.lock();
        try {
            return waitingBytes;
        } finally {
            lock.unlock();
        }
    }

    /** Writes {@code response}, and ends {@code lease}. Returns false if too much waits. */
    boolean write(StoredResponse response, RecordKey key, long begun, @Nullable SharedLease lease) {
        long bytes = response.weightBytes();
        lock.lock();
        try {
            var use = to;
            if (isEnding
                    || use == null
                    || !use.isUsable()
                    || waiting.size() >= use.terms().responses()
                    || waitingBytes + bytes > use.terms().queueBytes()
                    || !response.tryRetain()) {
                return false;
            }
            waiting.add(new Write(response, key, begun, lease, bytes));
            waitingBytes += bytes;
            if (waiting.size() == 1) {
                changed.signalAll();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Write poll() {
        lock.lock();
        try {
            var next = waiting.poll();
            waitingBytes -= next == null ? 0 : next.bytes();
            return next;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Write next() {
        lock.lock();
        try {
            while (waiting.isEmpty() && !isEnding) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
        return poll();
    }

    private void run(SharedTier.Use use) {
        for (var write = next(); write != null; write = next()) {
            try {
                take(write, use);
            } catch (RuntimeException | Error bug) {
                errors.add(bug);
            }
        }
    }

    private void take(Write write, SharedTier.Use use) {
        var outcome = TierWrite.FAILED;
        try {
            outcome = written(write, use);
        } finally {
            counts.add(outcome);
            try {
                if (outcome != TierWrite.STORED) {
                    SharedTier.end(write.lease(), SharedRecords.Ending.NONE);
                    removals.replace(use, write.response(), write.key().hash());
                }
            } finally {
                write.response().release();
            }
        }
    }

    private TierWrite written(Write write, SharedTier.Use use) {
        var response = write.response();
        // The newer its position is, the longer it can be used.
        if (!store.invalidations().isUsable(response)) {
            return TierWrite.REPLACED;
        }
        long keep =
                Math.min(store.keepFor(response).toMillis(), use.terms().longestKept().toMillis());
        if (keep <= 0 || !use.isUsable()) {
            return TierWrite.DROPPED;
        }
        var hash = write.key().hash();
        var variant = RecordVariants.Variant.of(response, hash, 0);
        var position = use.positions().position(response.testedUpTo(), write.begun());
        if (position == null) {
            return TierWrite.DROPPED;
        }
        var record = use.codec().write(response, write.key(), position);
        try {
            var version = RecordHeader.version(record);
            if (version == null || record.readableBytes() > use.records().maxRecordBytes()) {
                return TierWrite.REFUSED;
            }
            boolean isListed = VarySpec.lists(specs.getIfPresent(hash), variant);
            var place = new SharedRecords.Place(hash, isListed ? variant.hash() : null);
            if (isListed && !specWritten(response, hash, version, keep, use)) {
                return TierWrite.REFUSED;
            }
            if (!use.records().put(place, version, keep, record)) {
                return TierWrite.DROPPED;
            }
            if (!isListed) {
                specs.invalidate(hash);
            }
            var lease = write.lease();
            if (lease != null && lease.place().equals(place)) {
                lease.written();
            } else {
                SharedTier.end(lease, SharedRecords.Ending.NONE);
            }
            return TierWrite.STORED;
        } finally {
            record.release();
        }
    }

    private boolean specWritten(
            StoredResponse response,
            RecordHash hash,
            SharedRecords.Version version,
            long keep,
            SharedTier.Use use) {
        var spec = VarySpec.of(response, hash, specs.getIfPresent(hash));
        if (!spec.isWritable()) {
            return false;
        }
        specs.put(hash, spec);
        var record = spec.written(version);
        try {
            return use.records().put(new SharedRecords.Place(hash, null), version, keep, record);
        } finally {
            record.release();
        }
    }
}
