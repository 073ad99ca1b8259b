package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheKey;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;

/** Remembers purges for as long as a fetch is under way that began before them. */
final class PurgeLog {

    /*
     * A purge must win against every fetch that began before it (RFC 9111 §4.4). Storing holds the
     * read lock from the look into this log until the entry stands in the store; a purge takes the
     * write lock to enter itself. So each entry either stands in the store before the purge walks
     * through it, or is refused.
     */
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    private final Set<Epoch> open = ConcurrentHashMap.newKeySet();
    private final BanList bans;

    /** How many purges there have been; under the lock. */
    private long count;

    /** What had been purged, and banned, when a fetch began. */
    static final class Epoch {
        private final long count;
        private final long ban;

        private Epoch(long count, long ban) {
            this.count = count;
            this.ban = ban;
        }

        /** The newest ban made before. */
        long ban() {
            return ban;
        }
    }

    private record Entry(long number, Purge purge) {}

    PurgeLog(BanList bans) {
        this.bans = bans;
    }

    /** A fetch begins; {@link #close} it whatever comes of it. */
    Epoch open() {
        lock.readLock().lock();
        try {
            var epoch = new Epoch(count, bans.newest());
            open.add(epoch);
            return epoch;
        } finally {
            lock.readLock().unlock();
        }
    }

    void close(Epoch epoch) {
        open.remove(epoch);
    }

    /** The newest ban that was made before every fetch that is under way. */
    long banBeforeAllFetches() {
        // No fetch may stand between having read the newest ban and being among the open ones.
        lock.writeLock().lock();
        try {
            return open.stream().mapToLong(Epoch::ban).min().orElseGet(bans::newest);
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Enters {@code purge}: what began before now and is covered can no longer be stored. */
    void enter(Purge purge) {
        lock.writeLock().lock();
        try {
            count++;
            entries.addLast(new Entry(count, purge));
            long oldest = open.stream().mapToLong(epoch -> epoch.count).min().orElse(count);
            while (!entries.isEmpty() && entries.getFirst().number() <= oldest) {
                entries.removeFirst();
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    /**
     * Whether nothing but other URLs than {@code key} has been purged or banned since {@code
     * epoch}.
     */
    boolean isUndisturbedSince(Epoch epoch, CacheKey key) {
        lock.readLock().lock();
        try {
            return bans.newest() == epoch.ban
                    && entries.stream()
                            .filter(entry -> entry.number() > epoch.count)
                            .allMatch(entry -> entry.purge().leavesAlone(key));
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Runs {@code store} unless {@code response} was purged since {@code epoch}. */
    boolean unlessPurged(Epoch epoch, StoredResponse response, BooleanSupplier store) {
        lock.readLock().lock();
        try {
            for (var entry : entries) {
                if (entry.number() > epoch.count && entry.purge().covers(response)) {
                    return false;
                }
            }
            return store.getAsBoolean();
        } finally {
            lock.readLock().unlock();
        }
    }
}
