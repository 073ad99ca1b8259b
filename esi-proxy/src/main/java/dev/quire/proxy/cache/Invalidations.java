package dev.quire.proxy.cache;

import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.InvalidationEntry.BanEntry;
import dev.quire.proxy.cache.InvalidationEntry.GroupsEntry;
import dev.quire.proxy.cache.InvalidationEntry.LiftEntry;
import dev.quire.proxy.cache.InvalidationEntry.PurgeEntry;
import dev.quire.proxy.cache.InvalidationEntry.UrlEntry;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one sequence of all invalidations: purges, bans, the end of bans, and the invalidations of
 * URLs and groups by unsafe requests. Thread-safe: entering takes a lock, queries do not.
 */
public final class Invalidations {

    /*
     * Entries are numbered in the order in which they are made. Each stored response has the number
     * of the newest entry that it was tested against, at first the newest one when its fetch began.
     * So a hit compares one number. If there are newer entries, the response is tested against
     * those, once: its URL, tags, host and groups are looked up, and path patterns and bans are
     * tried. So an invalidation wins, without a walk, against every fetch that began before it.
     *
     * Of each name only the newest entries are kept, hard and soft separately: neither replaces the
     * other. Forgotten entries raise the floor: a response that was not tested up to the floor is
     * hidden. A sweep tests all stored responses first, so the floor that it raises hides nothing.
     * If there are too many names or patterns before that, it hides too much, never too little.
     */

    static final int MAX_BANS = 10_000;
    static final int MAX_PATTERNS = 10_000;
    static final long MAX_NAME_BYTES = 16 << 20;

    /** Completed bans that are still listed. */
    private static final int MAX_COMPLETED = 100;

    /** How many names are removed before others get the lock. */
    private static final int NAMES_AT_A_TIME = 1_000;

    /** Before the name of a group; no target begins with it. */
    private static final String GROUP = "group ";

    private final Supplier<Instant> now;
    private volatile HashedPositions unsafe;
    private volatile Epochs epochs;
    private final PurgedNames names = new PurgedNames();

    /** Bans, and purges with path patterns, by number. */
    private final ConcurrentNavigableMap<Long, ActiveInvalidation> conditions =
            new ConcurrentSkipListMap<>();

    private final Set<OrderedFetch> open = ConcurrentHashMap.newKeySet();
    private final LongAdder hiddenByBans = new LongAdder();

    // Guarded by the lock.
    private final Map<BanCondition, ActiveInvalidation> bans = new HashMap<>();
    private final ArrayDeque<Ban> completed = new ArrayDeque<>();
    private int patterns;

    /** The newest entry that a sweep shall test everything against. */
    private volatile long due;

    private volatile long floor;

    /** Everything in memory was tested against the entries up to this one. */
    private volatile long swept;

    private final InvalidationLogs logs = new InvalidationLogs();

    /** The newest purge or ban. */
    private volatile long newestOfOperator;

    private volatile long newest;

    /**
     * @param now monotonic
     * @param unsafe for unsafe requests
     */
    Invalidations(Supplier<Instant> now, HashedPositions unsafe) {
        this.now = now;
        this.unsafe = unsafe;
        this.epochs = Epochs.first(ThreadLocalRandom.current().nextLong());
    }

    /** Creates an empty sequence. */
    public static Invalidations empty(Supplier<Instant> now) {
        return new Invalidations(now, HashedPositions.ofDefaultCount());
    }

    /**
     * Continues the sequence of another process, in an epoch of its own. This one is still empty,
     * and nothing is in memory yet. The clock is the same.
     */
    public synchronized void resume(InvalidationState state) {
        var entries = new TreeMap<Long, InvalidationEntry>();
        state.entries().forEach(entry -> entries.put(entry.number(), entry.entry()));
        long last = Math.max(state.newest(), entries.isEmpty() ? 0 : entries.lastKey());
        unsafe = HashedPositions.of(state);
        epochs = Epochs.after(state.epochs(), new SecureRandom().nextLong(), last);
        // Before what is forgotten meanwhile raises it.
        floor = state.floor();
        entries.forEach(this::apply);
        newest = last;
        swept = last;
        logs.notes().resume(state.log());
    }

    /** The log of the fleet, for the next process. */
    public LogNotes notes() {
        return logs.notes();
    }

    /**
     * Passes all further entries to {@code log}, and forgets none that may cover a response outside
     * the memory.
     *
     * @param oldest returns the entry up to which the oldest of those was tested; never decreases,
     *     does not wait
     */
    public synchronized void logTo(InvalidationLog log, LongSupplier oldest) {
        logs.own(log, oldest);
    }

    /**
     * The same for the log of a fleet, until it is {@linkplain #endLog ended}.
     *
     * @param oldest as in {@link #logTo}
     */
    public synchronized void alsoLogTo(InvalidationLog log, LongSupplier oldest) {
        logs.fleet(log, oldest);
    }

    /** Ends the log of {@link #logTo}: nothing outside the memory is used any more. */
    public synchronized void endLog() {
        logs.endOwn();
    }

    /** Ends this log, unless another one has taken the place of {@code former}. */
    public synchronized void endLog(InvalidationLog former) {
        logs.end(former);
    }

    /**
     * Completes once no later process can use a response that an entry so far covers, or after a
     * moment; at once if there are none outside the memory.
     */
    public CompletionStage<Durability> sync() {
        return logs.sync();
    }

    /** The same without the log of the fleet, for entries that answer no request. */
    public CompletionStage<Durability> syncOwn() {
        return logs.syncOwn();
    }

    /** How often {@link #sync} completed without that. */
    public long undurable() {
        return logs.undurable();
    }

    /**
     * Returns all that a response outside the memory may have to be tested against. Takes the lock
     * only for a moment, so it may have parts of newer entries, but all entries that the log got
     * before this call are in it.
     */
    public InvalidationState state() {
        // First: what it names is among the entries.
        var log = logs.notes().state();
        long upTo;
        long oldest;
        synchronized (this) {
            // The log gets an entry before it takes effect, with this lock held.
            upTo = newest;
            oldest = Math.min(logs.oldestOwn(), upTo);
        }
        var entries = KeptInvalidation.all(names.all(), conditions, oldest);
        return new InvalidationState(
                unsafe.seed(),
                unsafe.factor(),
                epochs.since(oldest),
                upTo,
                // Last: what was forgotten meanwhile has raised the floor before.
                Math.max(floor, oldest),
                entries,
                unsafe.after(oldest),
                log);
    }

    /** The position of a response that was tested up to {@code number}. */
    RecordPosition position(long number) {
        return epochs.position(number);
    }

    /** Returns the newest entry that is not after {@code position}; see {@link Epochs}. */
    long order(RecordPosition position) {
        return epochs.order(position, newest);
    }

    /** The number of the newest entry; 0 before the first. */
    public long newest() {
        return newest;
    }

    /** A response that was not tested up to this entry is hidden. */
    public long floor() {
        return floor;
    }

    /** The number of bans that not everything in memory was tested against. */
    public int banCount() {
        return (int)
                conditions.tailMap(swept, false).values().stream()
                        .filter(entry -> entry.condition() != null)
                        .count();
    }

    /** The number of stored responses that bans have hidden. */
    public long hiddenByBans() {
        return hiddenByBans.sum();
    }

    /** Begins a fetch for {@code request}; always {@link #close} it. */
    OrderedFetch open(RequestHead request) {
        var fetch = new OrderedFetch(request);
        // Before its order is read: until then no entry is completed.
        open.add(fetch);
        fetch.order = newest;
        return fetch;
    }

    void close(OrderedFetch fetch) {
        open.remove(fetch);
    }

    /** The number of fetches in flight whose responses may be stored. */
    public int openFetches() {
        return open.size();
    }

    /** Returns the newest entry made before every fetch in flight. */
    long beforeAllFetches() {
        long upTo = newest;
        return open.stream().mapToLong(fetch -> Math.min(fetch.order, upTo)).min().orElse(upTo);
    }

    /**
     * Adds a purge, which counts the responses to which it is applied.
     *
     * @param isSwept whether a sweep shall apply it to all responses
     */
    synchronized AtomicReference<Covered> purge(Purge purge, boolean isSoft, boolean isSwept) {
        var entry = enter(new PurgeEntry(purge, isSoft, now.get()));
        if (isSwept) {
            due = newest;
        }
        return entry.covered();
    }

    /**
     * Invalidates {@code url}.
     *
     * @param cause the unsafe request that caused it, whose own response can still be stored; null
     *     if that has another URL
     */
    synchronized void invalidate(CacheKey url, @Nullable RequestHead cause) {
        long before = positionOf(url, url.target());
        enter(new UrlEntry(url.ofUrl(), now.get()));
        for (var fetch : open) {
            if (fetch.isFor(cause)) {
                fetch.own = new OrderedFetch.Own(newest, fetch.withoutOwn(before));
            }
        }
    }

    /**
     * Hides all responses, stored or in flight, in any of {@code groups}, after an unsafe method
     * succeeded and named them (RFC 9875 §3). For event loops too.
     *
     * @param member any resource of their origin
     */
    public void invalidateGroups(CacheKey member, Set<String> groups) {
        enter(new GroupsEntry(member.scheme(), member.authority(), groups, now.get()));
    }

    /**
     * Hides all responses, stored or in flight, that meet {@code condition}, with effect from the
     * next request.
     *
     * @return its number, or empty if there are too many bans
     */
    public synchronized OptionalLong ban(BanCondition condition) {
        boolean isNew = !bans.containsKey(condition);
        if (isNew && bans.size() >= MAX_BANS) {
            forgetOldestBan();
        }
        return !isNew || bans.size() < MAX_BANS
                ? OptionalLong.of(enter(new BanEntry(condition, now.get())).number())
                : OptionalLong.empty();
    }

    /** If everything in memory was tested against it: older responses elsewhere are hidden. */
    private void forgetOldestBan() {
        conditions.headMap(swept, true).values().stream()
                .filter(entry -> entry.condition() != null)
                .findFirst()
                .ifPresent(oldest -> forgetAll(oldest.number()));
    }

    /** The condition of the active ban {@code number}, or null. Takes no lock. */
    public @Nullable BanCondition condition(long number) {
        var ban = conditions.get(number);
        return ban == null ? null : ban.condition();
    }

    /** The number of the active ban with {@code condition}. */
    public synchronized OptionalLong activeBan(BanCondition condition) {
        var ban = bans.get(condition);
        return ban == null ? OptionalLong.empty() : OptionalLong.of(ban.number());
    }

    /** Removes a ban, unless it is completed or absent. Returns whether. */
    public synchronized boolean lift(long number) {
        boolean isActive = number > swept && condition(number) != null;
        if (isActive) {
            enter(new LiftEntry(number, now.get()));
        }
        return isActive;
    }

    /** Adds an entry without an effect, and returns its number: others are before it or after. */
    public long mark() {
        return enter(new LiftEntry(0, now.get())).number();
    }

    private synchronized ActiveInvalidation enter(InvalidationEntry entry) {
        logs.append(newest + 1, entry);
        return apply(newest + 1, entry);
    }

    private synchronized ActiveInvalidation apply(long number, InvalidationEntry entry) {
        var added =
                ActiveInvalidation.of(
                        number,
                        entry,
                        entry instanceof BanEntry ban ? bans.get(ban.condition()) : null);
        switch (entry) {
            case PurgeEntry purge -> {
                enter(purge.purge(), added);
                newestOfOperator = number;
            }
            case BanEntry(var condition, var since) -> {
                conditions.put(number, added);
                var former = bans.put(condition, added);
                if (former != null) {
                    // After adding the new one, so that a reader sees at least one of the two.
                    conditions.remove(former.number());
                }
                newestOfOperator = number;
            }
            case LiftEntry(var ban, var since) -> {
                var lifted = conditions.remove(ban);
                if (lifted != null) {
                    bans.remove(lifted.condition());
                }
            }
            case UrlEntry(var url, var since) ->
                    unsafe.put(url.scheme(), url.authority(), url.target(), number);
            case GroupsEntry(var scheme, var authority, var groups, var since) ->
                    groups.forEach(group -> unsafe.put(scheme, authority, GROUP + group, number));
        }
        // Set last, so that a reader of this number finds the entry.
        newest = number;
        return added;
    }

    private void enter(Purge purge, ActiveInvalidation added) {
        purge.keys().forEach(key -> names.put(Covered.URL, key.ofUrl(), added));
        purge.tags().forEach(tag -> names.put(Covered.TAG, tag, added));
        purge.hosts().forEach(host -> names.put(Covered.HOST, host, added));
        if (!added.paths().isEmpty()) {
            conditions.put(added.number(), added);
            patterns += added.paths().size();
        }
        if (names.bytes() > MAX_NAME_BYTES / 2) {
            due = added.number();
        }
        while (names.bytes() > MAX_NAME_BYTES) {
            forget(names.oldest());
        }
        while (patterns > MAX_PATTERNS) {
            conditions.values().stream()
                    .filter(entry -> entry.condition() == null)
                    .findFirst()
                    .ifPresent(oldest -> forget(oldest.number()));
        }
    }

    /** Whether responses, or the memory of this sequence, wait for a sweep. */
    public boolean isSweepDue() {
        long done = Math.max(floor, swept);
        return due > done || !conditions.tailMap(done, false).isEmpty();
    }

    /**
     * Completes the entries up to {@code upTo}: everything in memory has been tested against them.
     */
    void complete(long upTo) {
        synchronized (this) {
            swept = Math.max(swept, upTo);
        }
        forgetAll(Math.min(upTo, logs.oldest()));
    }

    private void forgetAll(long upTo) {
        while (forget(upTo)) {} // Others get the lock in between.
    }

    /**
     * Forgets the entries up to {@code upTo}, but only {@value #NAMES_AT_A_TIME} names at a time.
     * Returns whether there are more.
     */
    private synchronized boolean forget(long upTo) {
        // Before anything is removed, so that a reader sees one of the two.
        floor = Math.max(floor, upTo);
        if (names.forget(upTo, NAMES_AT_A_TIME)) {
            return true;
        }
        var done = conditions.headMap(upTo, true);
        for (var entry : done.values()) {
            patterns -= entry.paths().size();
            if (entry.condition() != null) {
                bans.remove(entry.condition());
                completed.addLast(entry.ban(entry.condition(), true));
            }
        }
        done.clear();
        while (completed.size() > MAX_COMPLETED) {
            completed.removeFirst();
        }
        return false;
    }

    /** The active bans and the last completed ones, newest first. */
    public synchronized List<Ban> bans() {
        var all = new ArrayList<>(completed);
        bans.forEach((condition, entry) -> all.add(entry.ban(condition, entry.number() <= swept)));
        all.sort(Comparator.comparingLong(Ban::number).reversed());
        return all;
    }

    /** Whether no entry since it was tested covers {@code stored}. */
    boolean isUsable(StoredResponse stored) {
        long upTo = newest;
        long tested = stored.testedUpTo();
        if (tested < upTo) {
            if (effect(InvalidationSubject.of(stored), tested, null) != null) {
                return false;
            }
            stored.testedUpTo(upTo);
        }
        return true;
    }

    /** Whether an entry since {@code tested} covers {@code subject}. */
    boolean cover(InvalidationSubject subject, long tested) {
        return tested < newest && effect(subject, tested, null) != null;
    }

    /**
     * Whether no entry since {@code fetch} began covers {@code response}, its result.
     *
     * @param renewed the stored response that was validated, or null
     */
    boolean isUsable(
            StoredResponse response, @Nullable StoredResponse renewed, OrderedFetch fetch) {
        long upTo = newest;
        long order = fetch.order;
        if (order < upTo
                && (effect(InvalidationSubject.of(response), order, fetch) != null
                        || (renewed != null
                                && effect(InvalidationSubject.of(renewed), order, fetch)
                                        != null))) {
            return false;
        }
        response.testedUpTo(upTo);
        return true;
    }

    /**
     * Applies the entries since it was tested to {@code stored}, and counts it. Called while the
     * entry of its key is locked, so that each response is counted once.
     *
     * @return itself, a stale copy with its own references, or null if it is hidden
     */
    @Nullable StoredResponse applied(StoredResponse stored) {
        long upTo = newest;
        long tested = stored.testedUpTo();
        var effect = tested < upTo ? effect(InvalidationSubject.of(stored), tested, null) : null;
        var result = stored;
        if (effect != null) {
            var entry = effect.entry();
            if (effect.isHard() || entry.number() <= upTo) {
                // Otherwise it applies again, and counts then.
                entry.covered().accumulateAndGet(effect.by(), Covered::and);
                hiddenByBans.add(entry.condition() == null ? 0 : 1);
            }
            var expired = effect.on(stored.freshness());
            if (expired == null) {
                return null;
            }
            result = expired.equals(stored.freshness()) ? stored : stored.with(expired);
        }
        result.testedUpTo(upTo);
        return result;
    }

    /**
     * Returns the strongest effect of the entries since {@code tested}, or null.
     *
     * @param fetch of the subject, unless it is stored
     */
    @Nullable InvalidationEffect effect(
            InvalidationSubject subject, long tested, @Nullable OrderedFetch fetch) {
        if (isHiddenByUnsafeRequest(subject, tested, fetch)) {
            return InvalidationEffect.HIDDEN;
        }
        var effect = newestOfOperator > tested ? effectOfOperator(subject, tested) : null;
        // Last: what was forgotten during this test has raised the floor before.
        return (effect == null || !effect.isHard()) && tested < floor
                ? InvalidationEffect.HIDDEN
                : effect;
    }

    private boolean isHiddenByUnsafeRequest(
            InvalidationSubject subject, long tested, @Nullable OrderedFetch fetch) {
        var key = subject.key();
        long number = positionOf(key, key.target());
        if ((fetch == null ? number : fetch.withoutOwn(number)) > tested) {
            return true;
        }
        for (var tag : subject.tags()) {
            if (positionOf(key, GROUP + tag) > tested && subject.isInGroup(tag)) {
                return true;
            }
        }
        return false;
    }

    private long positionOf(CacheKey key, String name) {
        return unsafe.of(key.scheme(), key.authority(), name);
    }

    private @Nullable InvalidationEffect effectOfOperator(
            InvalidationSubject subject, long tested) {
        var key = subject.key();
        var effect = stronger(null, Covered.URL, key.ofUrl(), tested);
        for (var tag : subject.tags()) {
            effect = stronger(effect, Covered.TAG, tag, tested);
        }
        effect = stronger(effect, Covered.HOST, key.authority(), tested);
        for (var entry : conditions.tailMap(tested, false).values()) {
            if (effect != null && effect.isHard()) {
                return effect;
            }
            if (entry.covers(subject)) {
                effect = InvalidationEffect.stronger(effect, entry, Covered.PATH);
            }
        }
        return effect;
    }

    private @Nullable InvalidationEffect stronger(
            @Nullable InvalidationEffect known, Covered by, Object value, long tested) {
        var hard = names.get(new PurgedName(by, value, false));
        return InvalidationEffect.later(
                tested, known, hard, names.get(new PurgedName(by, value, true)), by);
    }
}
