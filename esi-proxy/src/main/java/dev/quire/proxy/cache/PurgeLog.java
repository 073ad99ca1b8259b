package dev.quire.proxy.cache;

import dev.quire.core.http.RequestHead;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers purges while fetches are in flight that began before them. Their memory is limited:
 * when the oldest are forgotten, no response of a fetch that began before them is stored.
 */
final class PurgeLog {

    /*
     * A purge must win against every fetch that began before it (RFC 9111 §4.4). Storing holds the
     * read lock from the check of this log until the entry is in the store; a purge takes the write
     * lock to add itself. So each entry is either in the store before the purge walks through it,
     * or is rejected. An invalidation by an unsafe request does not apply to that request's own
     * response, which is newer.
     */
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    private final Set<Epoch> open = ConcurrentHashMap.newKeySet();
    private final BanList bans;
    private final GroupInvalidations groups;

    // Guarded by the lock.
    private long count;
    private long bytes;

    /** The number of the newest purge dropped while a fetch was in flight; guarded by the lock. */
    private long forgotten;

    /** The state of purges, bans and invalidations when a fetch began. */
    static final class Epoch {
        private final RequestHead request;
        private final long count;
        private final long ban;
        private final long groups;

        private Epoch(RequestHead request, long count, long ban, long groups) {
            this.request = request;
            this.count = count;
            this.ban = ban;
            this.groups = groups;
        }

        /** The newest ban before it. */
        long ban() {
            return ban;
        }

        /** The newest group invalidation before it. */
        long groups() {
            return groups;
        }
    }

    /**
     * @param cause the unsafe request that caused it; null for a purge by an operator
     */
    private record Entry(long number, Purge purge, @Nullable RequestHead cause) {

        @SuppressWarnings("ReferenceEquality") // An equal request may be a different one.
        boolean refuses(StoredResponse response, Epoch epoch) {
            return number > epoch.count && cause != epoch.request && purge.covers(response);
        }

        long bytes() {
            return purge.heapBytes() + (cause == null ? 0 : Footprint.of(cause));
        }
    }

    PurgeLog(BanList bans, GroupInvalidations groups) {
        this.bans = bans;
        this.groups = groups;
    }

    /** Begins a fetch for {@code request}; always {@link #close} it. */
    Epoch open(RequestHead request) {
        lock.readLock().lock();
        try {
            var epoch = new Epoch(request, count, bans.newest(), groups.newest());
            open.add(epoch);
            return epoch;
        } finally {
            lock.readLock().unlock();
        }
    }

    void close(Epoch epoch) {
        open.remove(epoch);
    }

    /** The number of fetches in flight whose responses may be stored. */
    int open() {
        return open.size();
    }

    /** The memory of the purges that are remembered. */
    long bytes() {
        lock.readLock().lock();
        try {
            return bytes;
        } finally {
            lock.readLock().unlock();
        }
    }

    /** The newest ban created before every fetch in flight. */
    long banBeforeAllFetches() {
        // No fetch may be between reading the newest ban and its entry in {@code open}.
        lock.writeLock().lock();
        try {
            return open.stream().mapToLong(Epoch::ban).min().orElseGet(bans::newest);
        } finally {
            lock.writeLock().unlock();
        }
    }

    /**
     * Adds {@code purge}: covered responses of fetches that began earlier can no longer be stored.
     *
     * @param cause the unsafe request that caused it, whose own response can still be stored; or
     *     null
     */
    void enter(Purge purge, @Nullable RequestHead cause) {
        lock.writeLock().lock();
        try {
            count++;
            var added = new Entry(count, purge, cause);
            entries.addLast(added);
            bytes += added.bytes();
            long oldest = open.stream().mapToLong(epoch -> epoch.count).min().orElse(count);
            while (!entries.isEmpty() && entries.getFirst().number() <= oldest) {
                bytes -= entries.removeFirst().bytes();
            }
            while (bytes > KeyNotes.MAX_BYTES) {
                var dropped = entries.removeFirst();
                bytes -= dropped.bytes();
                forgotten = dropped.number();
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    /**
     * Runs {@code store} unless {@code response} was, or may have been, purged since {@code epoch}.
     */
    boolean unlessPurged(Epoch epoch, StoredResponse response, BooleanSupplier store) {
        lock.readLock().lock();
        try {
            if (epoch.count < forgotten) {
                return false;
            }
            for (var entry : entries) {
                if (entry.refuses(response, epoch)) {
                    return false;
                }
            }
            return store.getAsBoolean();
        } finally {
            lock.readLock().unlock();
        }
    }
}
