package dev.quire.proxy.cache;

import dev.quire.core.http.RequestHead;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Remembers purges for as long as a fetch is under way that began before them. */
final class PurgeLog {

    /*
     * A purge must win against every fetch that began before it (RFC 9111 §4.4). Storing holds the
     * read lock from the look into this log until the entry stands in the store; a purge takes the
     * write lock to enter itself. So each entry either stands in the store before the purge walks
     * through it, or is refused. Only what a request has itself made untrue does not stand in the way
     * of its own answer: that came of it, and is the newer.
     */
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    private final Set<Epoch> open = ConcurrentHashMap.newKeySet();
    private final BanList bans;
    private final GroupInvalidations groups;

    /** How many purges there have been; under the lock. */
    private long count;

    /** What had been purged, banned and invalidated when a fetch began. */
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

        /** The newest ban made before. */
        long ban() {
            return ban;
        }

        /** The newest invalidation of groups made before. */
        long groups() {
            return groups;
        }
    }

    /**
     * @param cause the unsafe request that has made it necessary; null for an operator's
     */
    private record Entry(long number, Purge purge, @Nullable RequestHead cause) {

        @SuppressWarnings("ReferenceEquality") // Another request may well look the same.
        boolean refuses(StoredResponse response, Epoch epoch) {
            return number > epoch.count && cause != epoch.request && purge.covers(response);
        }
    }

    PurgeLog(BanList bans, GroupInvalidations groups) {
        this.bans = bans;
        this.groups = groups;
    }

    /** A fetch for {@code request} begins; {@link #close} it whatever comes of it. */
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

    /** How many fetches are under way. */
    int open() {
        return open.size();
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

    /**
     * Enters {@code purge}: what began before now and is covered can no longer be stored.
     *
     * @param cause the unsafe request that has made it necessary, whose own answer can; or null
     */
    void enter(Purge purge, @Nullable RequestHead cause) {
        lock.writeLock().lock();
        try {
            count++;
            entries.addLast(new Entry(count, purge, cause));
            long oldest = open.stream().mapToLong(epoch -> epoch.count).min().orElse(count);
            while (!entries.isEmpty() && entries.getFirst().number() <= oldest) {
                entries.removeFirst();
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Runs {@code store} unless {@code response} was purged since {@code epoch}. */
    boolean unlessPurged(Epoch epoch, StoredResponse response, BooleanSupplier store) {
        lock.readLock().lock();
        try {
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
