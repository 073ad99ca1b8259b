package dev.quire.proxy.cache;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * The active bans, at most {@value #MAX_BANS}, and the last completed ones. Thread-safe: changes
 * take a lock, queries do not.
 */
final class BanList {

    /*
     * Bans are numbered in order of creation. Each stored response has the number of the newest ban
     * it was tested against, initially the newest one when its fetch began. So a hit compares one
     * number. If there are newer bans, the response is tested against those, once, and a hidden
     * response stays hidden. Once all stored responses and all fetches in flight have at least the
     * number of a ban, that ban is completed and removed.
     */

    static final int MAX_BANS = 10_000;

    /** Completed bans that are still listed. */
    private static final int MAX_COMPLETED = 100;

    private final Supplier<Instant> now;
    private final ConcurrentNavigableMap<Long, Standing> standing = new ConcurrentSkipListMap<>();
    private final LongAdder hidden = new LongAdder();

    // Guarded by the lock.
    private final Map<BanCondition, Long> numbers = new HashMap<>();
    private final ArrayDeque<Ban> completed = new ArrayDeque<>();

    private volatile long newest;
    private volatile int count;

    private record Standing(long number, BanCondition condition, Instant since, LongAdder hidden) {

        boolean covers(StoredResponse response) {
            return condition.covers(response, since);
        }

        Ban seen(boolean isCompleted) {
            return new Ban(number, condition, since, hidden.sum(), isCompleted);
        }
    }

    /**
     * @param now monotonic
     */
    BanList(Supplier<Instant> now) {
        this.now = now;
    }

    /** The number of the newest ban ever made; 0 before the first. */
    long newest() {
        return newest;
    }

    int count() {
        return count;
    }

    long hidden() {
        return hidden.sum();
    }

    /**
     * Adds a ban on {@code condition}, replacing one on the same condition. Returns its number, or
     * empty if there are too many bans.
     */
    synchronized OptionalLong add(BanCondition condition) {
        var former = numbers.get(condition);
        if (former == null && numbers.size() == MAX_BANS) {
            return OptionalLong.empty();
        }
        long number = newest + 1;
        var replaced = former == null ? null : standing.get(former);
        standing.put(
                number,
                new Standing(
                        number,
                        condition,
                        now.get(),
                        replaced == null ? new LongAdder() : replaced.hidden()));
        numbers.put(condition, number);
        if (former != null) {
            // After adding the new one, so that concurrent readers see at least one of the two.
            standing.remove(former);
        }
        count = numbers.size();
        // Set last, so that a reader of this number finds the ban.
        newest = number;
        return OptionalLong.of(number);
    }

    /** Removes a ban; hidden responses stay hidden. Returns false if it does not exist. */
    synchronized boolean lift(long number) {
        var ban = standing.remove(number);
        if (ban == null) {
            return false;
        }
        numbers.remove(ban.condition());
        count = numbers.size();
        return true;
    }

    /** Completes the bans up to {@code number}: everything has been tested against them. */
    synchronized void complete(long number) {
        var done = standing.headMap(number, true);
        for (var ban : List.copyOf(done.values())) {
            numbers.remove(ban.condition());
            if (completed.size() == MAX_COMPLETED) {
                completed.removeFirst();
            }
            completed.addLast(ban.seen(true));
        }
        done.clear();
        count = numbers.size();
    }

    /** The active bans and the last completed ones, newest first. */
    synchronized List<Ban> all() {
        var all = new ArrayList<>(completed);
        standing.values().forEach(ban -> all.add(ban.seen(false)));
        all.sort(Comparator.comparingLong(Ban::number).reversed());
        return all;
    }

    /** Whether a ban created since its fetch began hides {@code response}. */
    boolean hides(StoredResponse response) {
        long upTo = newest;
        return response.bansTested() < upTo && hides(response, response.marks(), upTo);
    }

    private boolean hides(StoredResponse response, InvalidationMarks mark, long upTo) {
        if (mark.isBanned()) {
            return true;
        }
        for (var ban : standing.tailMap(mark.bansTested(), false).values()) {
            if (ban.covers(response)) {
                if (mark.ban()) {
                    ban.hidden().increment();
                    hidden.increment();
                }
                return true;
            }
        }
        return !mark.passed(upTo);
    }
}
