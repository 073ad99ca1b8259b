package dev.quire.proxy.access;

import dev.quire.core.rule.Ending;
import dev.quire.core.rule.TokenBucket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * The buckets of all rate limits, shared by all generations of the configuration: a limit whose
 * name and rate are unchanged keeps its buckets. Thread-safe and lock-free.
 *
 * <p>At most {@value #MAX_BUCKETS} buckets. When one more is needed, the oldest is dropped; one
 * that was used since it was last considered counts as new.
 */
public final class RateLimits {
    static final int MAX_BUCKETS = 100_000;

    /** Used buckets that are skipped at most to drop one. */
    private static final int MAX_SKIPPED = 16;

    /** A longer text is replaced by its hash: clients determine its length. */
    private static final int MAX_TEXT = 64;

    /**
     * @param by the text of the limit's template, or its hash
     */
    private record Key(String limit, double perSecond, String by) {}

    private static final class Entry {
        private final Key key;
        private final TokenBucket bucket;
        private volatile boolean isUsed;

        Entry(Key key, long nowNanos) {
            this.key = key;
            this.bucket = new TokenBucket(nowNanos);
        }
    }

    private final ConcurrentMap<Key, Entry> entries = new ConcurrentHashMap<>();
    private final Queue<Entry> byAge = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final LongAdder dropped = new LongAdder();

    /**
     * Counts a request.
     *
     * @param nowNanos of a monotonic clock
     * @return 0 if it is within the limit, else the nanoseconds until one is again
     */
    public long take(Ending.Check check, long nowNanos) {
        var limit = check.limit();
        var key = new Key(limit.name(), limit.perSecond(), bounded(check.by()));
        var entry = entries.get(key);
        if (entry == null) {
            entry = added(key, nowNanos);
        } else if (!entry.isUsed) {
            entry.isUsed = true;
        }
        return entry.bucket.take(limit, nowNanos);
    }

    private Entry added(Key key, long nowNanos) {
        var mine = new Entry(key, nowNanos);
        var other = entries.putIfAbsent(key, mine);
        if (other != null) {
            return other;
        }
        byAge.add(mine);
        if (size.incrementAndGet() > MAX_BUCKETS) {
            dropOldest();
        }
        return mine;
    }

    private void dropOldest() {
        for (int skipped = 0; ; skipped++) {
            var oldest = byAge.poll();
            if (oldest == null) {
                // Other threads have dropped as many.
                return;
            }
            if (!oldest.isUsed || skipped == MAX_SKIPPED) {
                entries.remove(oldest.key);
                size.decrementAndGet();
                dropped.increment();
                return;
            }
            oldest.isUsed = false;
            byAge.add(oldest);
        }
    }

    private static String bounded(String text) {
        if (text.length() <= MAX_TEXT) {
            return text;
        }
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The number of buckets. */
    public int size() {
        return size.get();
    }

    /** The number of buckets dropped since startup, since there were too many. */
    public long dropped() {
        return dropped.sum();
    }
}
