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
 * The bans that stand, at most {@value #MAX_BANS}, and the last that are completed. Safe for all
 * threads; changing it takes its lock, asking it whether something is hidden takes none.
 */
final class BanList {

    /*
     * Bans are numbered as they are made. Each stored response bears the number of the newest ban it
     * has been tested against, at first the newest one when its fetch began. So on a hit one number is
     * compared; only where a newer ban has been made since, the response is tested against the newer
     * ones, once. Who is hidden stays so. Once all that is stored, and all that is on its way, bears at
     * least a ban's number, nothing is left for it to hide: it is completed and forgotten.
     */

    static final int MAX_BANS = 10_000;

    /** Completed bans that are still shown. */
    private static final int MAX_COMPLETED = 100;

    private final Supplier<Instant> now;
    private final ConcurrentNavigableMap<Long, Standing> standing = new ConcurrentSkipListMap<>();
    private final LongAdder hidden = new LongAdder();

    // Under the lock.
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

    /** How many bans stand. */
    int count() {
        return count;
    }

    /** How many responses bans have hidden. */
    long hidden() {
        return hidden.sum();
    }

    /**
     * Bans what meets {@code condition} now; a ban on the same condition is replaced. Its number,
     * or nothing if there are too many.
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
            // After the new one stands: whoever walks the list meets one of the two.
            standing.remove(former);
        }
        count = numbers.size();
        // Last: who reads this number finds its ban.
        newest = number;
        return OptionalLong.of(number);
    }

    /** Takes a ban back: what it has hidden stays hidden. False if there is no such ban. */
    synchronized boolean lift(long number) {
        var ban = standing.remove(number);
        if (ban == null) {
            return false;
        }
        numbers.remove(ban.condition());
        count = numbers.size();
        return true;
    }

    /** Nothing is left to be tested against the bans up to {@code number}. */
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

    /** Those that stand and the last completed ones, newest first. */
    synchronized List<Ban> all() {
        var all = new ArrayList<>(completed);
        standing.values().forEach(ban -> all.add(ban.seen(false)));
        all.sort(Comparator.comparingLong(Ban::number).reversed());
        return all;
    }

    /** Whether a ban made since its fetch began hides {@code response}. */
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
