package dev.quire.proxy.fleet;

import dev.quire.core.rule.PathPattern;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationEntry.BanEntry;
import dev.quire.proxy.cache.InvalidationEntry.GroupsEntry;
import dev.quire.proxy.cache.InvalidationEntry.LiftEntry;
import dev.quire.proxy.cache.InvalidationEntry.PurgeEntry;
import dev.quire.proxy.cache.InvalidationEntry.UrlEntry;
import dev.quire.proxy.cache.InvalidationLog;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.cache.Purge;
import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.fleet.KnownEntries.Known;
import dev.quire.proxy.fleet.LogServer.Appended;
import dev.quire.proxy.fleet.LogServer.Entry;
import dev.quire.proxy.fleet.LogServer.Owner;
import dev.quire.proxy.fleet.LogServer.State;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's part in the log of the fleet: appends its own invalidations, and makes those of the
 * other nodes. Thread-safe.
 */
public final class FleetLog implements InvalidationLog, AutoCloseable {

    /*
     * An entry of this node takes effect here at once, and is appended as soon as the store answers.
     * All entries, its own too, are read back in the order of the log: from messages, each of which
     * names the entry before it, and from ticks, which return all entries since the last one that
     * was read, with that one. So a gap between two messages, or a lost message, is found by a tick.
     * An entry names the node that made it and its number there: a node knows its own ones, and does
     * not make one twice that was appended again.
     *
     * If the last entry that was read is not in the log any more, the log has lost entries: its
     * store was restarted, or another one has taken its place. Then the finder begins an epoch. No
     * record of the former epoch is used any more. Each node appends its entries of the last minute
     * again; they count as not yet in the log. A node that had read less of the former log than
     * another one does not know what it has missed: it hides all that it has. That is known after a
     * lease, when all others have told how far they had come.
     *
     * If old entries were forgotten before this node has read them, it hides all that it has too.
     *
     * All of this runs on one thread, which also owns the fields that are not volatile.
     */

    private static final Logger LOG = LoggerFactory.getLogger(FleetLog.class);

    private static final Duration TICK = Duration.ofSeconds(1);

    /** A node of which a tick is lost is still alive. */
    private static final int TICKS_A_LEASE = 4;

    private static final Duration LONGEST_CALL = Duration.ofSeconds(2);
    private static final Duration LONGEST_CLOSE = Duration.ofMillis(500);

    /** How long an unsafe request waits for others, to be appended together. */
    private static final Duration BATCH = Duration.ofMillis(10);

    /** Entries that were applied so long before the last contact are appended again. */
    private static final Duration AGAIN = Duration.ofSeconds(60);

    static final int PAGE = 1_000;
    static final int MAX_ENTRIES = FleetPositions.MAX_ENTRIES;
    private static final int MAX_BATCH = 100;
    private static final int MAX_BATCH_BYTES = 1 << 20;
    private static final int MAX_ASKS = 10_000;

    /** Trimming is approximate, so a log of this length may have been trimmed. */
    private static final int FULL = MAX_ENTRIES - 1_000;

    private static final Purge EVERYTHING =
            new Purge(Set.of(), Set.of(), Set.of(), List.of(new PathPattern("/**")));

    private final Terms terms;
    private final Invalidations invalidations;
    private final Predicate<InvalidationEntry> others;
    private final Time time;
    private final LogServer server;
    private final Owner owner;
    private final StoreTime storeTime;
    private final FleetPositions positions;
    private final ScheduledThreadPoolExecutor loop;
    private final AtomicLong sequence = new AtomicLong();

    private volatile @Nullable Thread thread;
    private volatile long epoch;
    private volatile long applied;
    private volatile int waiting;
    private volatile @Nullable String fault = "not connected yet";

    /** Nothing that this node has may be behind the log by an unknown number of entries. */
    private volatile boolean isSettled;

    private volatile boolean wasConfirmed;
    private volatile long confirmedTicks;
    private volatile long forgettable;

    // Confined to the thread.
    private final KnownEntries known = new KnownEntries();
    private final ArrayDeque<Known> queue = new ArrayDeque<>();
    private final ArrayDeque<Age> ages = new ArrayDeque<>();
    private final List<Question> questions = new ArrayList<>();
    private final AckWaits waits;

    /** Whether {@link #applied} is an entry that was read from the log. */
    private boolean isAnchored;

    /** Whether the log is known to go back to the former run of this node, or not to do so. */
    private boolean isCompared;

    private boolean isTicking;
    private boolean isTickWanted;
    private boolean isSendPlanned;
    private boolean isSending;

    /** Numbers the appends: the answers to former ones do not count. */
    private long sends;

    private long lastSeen;
    private long storeMillis;
    private long firstMade = Long.MAX_VALUE;
    private long lastMade;
    private @Nullable Former former;

    /** The newest own entry that was queued. */
    private long queued;

    /** The numbers of own entries that are not in the log. */
    private final TreeSet<Long> unlogged = new TreeSet<>();

    /** The last id of an own entry in this epoch. */
    private long loggedId;

    /**
     * The configuration.
     *
     * @param fleet the name of the fleet
     * @param node of {@link NodeName#incarnate}
     * @param lease for so long a node counts on its last confirmed tick
     * @param retention no record in the store is older; the log keeps entries for so long
     * @param journal so many own entries wait at most while the store is away
     * @param lastRun when the former process of this node was alive last, by this machine's clock;
     *     null if it has left no stored responses
     */
    public record Terms(
            String fleet,
            String node,
            Duration lease,
            Duration retention,
            int journal,
            @Nullable Instant lastRun) {}

    /** When a number was the newest one. */
    private record Age(long ticks, long number) {}

    /** Another node wants to know when {@code id} is applied. */
    private record Question(String node, long id) {}

    /**
     * The end of this node in a former epoch.
     *
     * @param toldTicks when the others could know it; null if they cannot yet
     */
    private record Former(long epoch, long applied, @Nullable Long toldTicks) {}

    /**
     * @param others makes an invalidation of another node in this one too, without waiting; returns
     *     false if it cannot
     */
    public FleetLog(
            Terms terms,
            Invalidations invalidations,
            Predicate<InvalidationEntry> others,
            Time time,
            LogServer server) {
        this.terms = terms;
        this.invalidations = invalidations;
        this.others = others;
        this.time = time;
        this.server = server;
        this.owner = new Owner(terms.fleet(), FleetEntry.SCHEMA);
        this.storeTime = new StoreTime(time);
        this.positions = new FleetPositions(invalidations::newest);
        this.waits = new AckWaits(terms.node(), terms.lease());
        this.loop =
                new ScheduledThreadPoolExecutor(
                        1,
                        task -> {
                            var made = new Thread(task, "quire-fleet");
                            made.setDaemon(true);
                            thread = made;
                            return made;
                        },
                        new ThreadPoolExecutor.DiscardPolicy());
        loop.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Begins to take part, in the background. */
    public void start() {
        loop.prestartCoreThread();
        invalidations.alsoLogTo(this, () -> forgettable);
        server.connect(new Messages());
        long between = Math.min(TICK.toNanos(), terms.lease().toNanos() / TICKS_A_LEASE);
        loop.scheduleWithFixedDelay(guarded(this::everyTick), 0, between, TimeUnit.NANOSECONDS);
    }

    /** The epoch of the log; 0 if it is not known yet. */
    public long epoch() {
        return epoch;
    }

    /** The position of a response that was tested up to {@code order}; null if it has none. */
    public @Nullable RecordPosition position(long order) {
        return positions.position(order);
    }

    /** Returns our newest entry that is not after {@code position}, or -1 if it is not known. */
    public long order(RecordPosition position) {
        return positions.order(position);
    }

    /** Whether this node knew all entries of the log at a time within the lease. For hits. */
    public boolean isCurrent() {
        return isSettled && wasConfirmed && time.ticks() - confirmedTicks < terms.lease().toNanos();
    }

    /** By how much the clock of the store is ahead of this machine's, in milliseconds. */
    public long wallOffsetMillis() {
        return storeTime.offsetMillis();
    }

    /**
     * The state of this node.
     *
     * @param applied the last entry that was read from the log
     * @param waiting the number of own entries that are not in the log yet
     * @param fault why the log cannot be used, in the words of operators; null if it can
     */
    public record Status(
            long epoch, long applied, boolean isCurrent, int waiting, @Nullable String fault) {}

    public Status status() {
        return new Status(epoch, applied, isCurrent(), waiting, fault);
    }

    @Override
    public void append(long number, InvalidationEntry entry) {
        boolean isLifted = entry instanceof LiftEntry;
        if (!isLifted) {
            positions.enter(number);
        }
        if (Thread.currentThread().equals(thread)) {
            // It is of another node.
            if (!isLifted) {
                firstMade = Math.min(firstMade, number);
                lastMade = number;
            }
            return;
        }
        var logged = logged(entry);
        if (logged != null) {
            var name = new EntryName(terms.node(), sequence.incrementAndGet());
            run(() -> add(name, logged, isLifted, isLifted ? 0 : number));
        }
    }

    /** The end of a ban names its condition. */
    private @Nullable InvalidationEntry logged(InvalidationEntry entry) {
        if (entry instanceof LiftEntry(var ban, var since)) {
            var condition = invalidations.condition(ban);
            return condition == null ? null : new BanEntry(condition, since);
        }
        return entry;
    }

    /** {@inheritDoc} At once: the log does not make them durable on this machine. */
    @Override
    public CompletionStage<Durability> sync() {
        return CompletableFuture.completedStage(Durability.DURABLE);
    }

    /**
     * Completes once all invalidations that this node has made so far have come so far, or after
     * {@code patience}. Dependents must not wait.
     */
    public CompletionStage<Acknowledged> acknowledged(Ack ack, Duration patience) {
        if (ack == Ack.LOCAL) {
            return CompletableFuture.completedStage(
                    new Acknowledged(ack, null, Set.of(NodeName.of(terms.node())), Set.of()));
        }
        var wait = new AckWaits.Wait(sequence.get(), ack == Ack.FLEET);
        run(() -> {
            waits.add(wait);
            loop.schedule(guarded(() -> waits.end(wait)), patience.toNanos(), TimeUnit.NANOSECONDS);
            noteLogged();
        });
        return wait.done.minimalCompletionStage();
    }

    /** Appends the entries so far if that takes only a moment, and leaves the fleet. */
    @Override
    public void close() {
        invalidations.endLog(this);
        try {
            acknowledged(Ack.LOG, LONGEST_CLOSE).toCompletableFuture().join();
            server.remove(List.of(terms.node()))
                    .toCompletableFuture()
                    .copy()
                    .exceptionally(ignored -> 0L)
                    .completeOnTimeout(0L, LONGEST_CLOSE.toNanos(), TimeUnit.NANOSECONDS)
                    .join();
        } finally {
            loop.shutdown();
            server.close();
        }
    }

    private void run(Runnable task) {
        loop.execute(guarded(task));
    }

    private static Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException | OutOfMemoryError bug) {
                LOG.atError()
                        .addKeyValue("event", "internal-error")
                        .setCause(bug)
                        .log("fleet: a step failed; the next tick goes on");
            }
        };
    }

    private <T> void call(
            CompletionStage<T> answer, BiConsumer<@Nullable T, @Nullable Throwable> then) {
        answer.toCompletableFuture()
                .copy()
                .orTimeout(LONGEST_CALL.toNanos(), TimeUnit.NANOSECONDS)
                .whenComplete((value, fault) -> run(() -> then.accept(value, fault)));
    }

    // Own entries

    private void add(EntryName name, InvalidationEntry entry, boolean isLifted, long number) {
        var own =
                new Known(
                        name,
                        FleetEntry.write(name, entry, isLifted, storeTime),
                        time.ticks(),
                        number,
                        number);
        known.add(own);
        queue.add(own);
        queued = name.sequence();
        unlogged.add(queued);
        waiting = queue.size();
        boundQueue();
        boolean mayWait = entry instanceof UrlEntry || entry instanceof GroupsEntry;
        if (!mayWait) {
            send();
        } else if (!isSendPlanned) {
            isSendPlanned = true;
            loop.schedule(
                    guarded(() -> {
                        isSendPlanned = false;
                        send();
                    }),
                    BATCH.toNanos(),
                    TimeUnit.NANOSECONDS);
        }
    }

    /** If too many wait, the other nodes will hide all that they have instead. */
    private void boundQueue() {
        if (queue.size() <= terms.journal() || isSending) {
            return;
        }
        LOG.atWarn()
                .addKeyValue("event", "fleet-journal-full")
                .log(
                        "fleet: more than {} invalidations wait for the log: the other nodes will"
                                + " purge everything instead (expected a store that answers, or a"
                                + " larger fleet.journal)",
                        terms.journal());
        long first = Long.MAX_VALUE;
        long last = 0;
        for (var each : queue) {
            known.remove(each.name);
            if (each.hasNumbers()) {
                first = Math.min(first, each.first);
                last = Math.max(last, each.last);
            }
        }
        var name = new EntryName(terms.node(), queued);
        queue.clear();
        unlogged.clear();
        unlogged.add(queued);
        var all =
                new Known(
                        name,
                        FleetEntry.write(
                                name,
                                new PurgeEntry(EVERYTHING, false, time.now()),
                                false,
                                storeTime),
                        time.ticks(),
                        first,
                        last);
        known.add(all);
        queue.add(all);
        waiting = 1;
    }

    private void send() {
        if (epoch == 0 || isSending) {
            return;
        }
        // Those of others, which another node has appended meanwhile.
        queue.removeIf(each -> each.isInLog);
        waiting = queue.size();
        if (queue.isEmpty()) {
            return;
        }
        var batch = new ArrayList<Known>();
        int bytes = 0;
        for (var each : queue) {
            bytes += each.bytes.length;
            if (batch.size() == MAX_BATCH || (bytes > MAX_BATCH_BYTES && !batch.isEmpty())) {
                break;
            }
            batch.add(each);
        }
        isSending = true;
        long number = ++sends;
        call(
                server.append(
                        epoch,
                        batch.stream().map(each -> each.bytes).toList(),
                        terms.retention().toMillis(),
                        MAX_ENTRIES),
                (answer, failed) -> sent(number, batch, answer));
    }

    private void sent(long number, List<Known> batch, LogServer.@Nullable Append answer) {
        if (number != sends) {
            // In a former epoch.
            return;
        }
        isSending = false;
        if (!(answer instanceof Appended(var previous, var ids))) {
            // They are sent again after the next tick.
            boundQueue();
            if (answer != null) {
                tick();
            }
            return;
        }
        long before = previous;
        for (int i = 0; i < batch.size(); i++) {
            var each = queue.removeFirst();
            noteLogged(each.name, ids.get(i));
            entered(before, new Entry(ids.get(i), each.bytes));
            before = ids.get(i);
        }
        waiting = queue.size();
        send();
    }

    private void forgetSend() {
        isSending = false;
        sends++;
    }

    private void noteLogged(EntryName name, long id) {
        if (name.node().equals(terms.node())) {
            unlogged.remove(name.sequence());
            loggedId = Math.max(loggedId, id);
            noteLogged();
        }
    }

    private void noteLogged() {
        var before = Set.copyOf(waits.forFleet());
        waits.logged(
                unlogged.isEmpty() ? queued : unlogged.first() - 1,
                new RecordPosition(epoch, loggedId));
        waits.forFleet().stream().filter(wait -> !before.contains(wait)).forEach(this::ask);
    }

    private void ask(AckWaits.Wait wait) {
        var position = wait.position;
        if (position == null || position.epoch() != epoch) {
            return;
        }
        if (position.number() <= applied) {
            waits.told(terms.node(), position);
        }
        call(
                server.ask(terms.node(), position.number()),
                (members, failed) -> {
                    if (members != null) {
                        waits.known(wait, members);
                    }
                });
    }

    // The log

    private void everyTick() {
        long now = time.ticks();
        if (ages.isEmpty() || now - ages.getLast().ticks() >= AGAIN.toNanos()) {
            ages.add(new Age(now, invalidations.newest()));
        }
        while (!ages.isEmpty()
                && now - ages.getFirst().ticks() > terms.retention().toNanos() + AGAIN.toNanos()) {
            forgettable = ages.removeFirst().number();
        }
        if (storeMillis > 0 && isSettled) {
            positions.forget(LogId.ofMillis(storeMillis - terms.retention().toMillis()));
            known.forget(now - AGAIN.toNanos());
        }
        tick();
    }

    private void tick() {
        if (isTicking) {
            isTickWanted = true;
            return;
        }
        isTicking = true;
        isTickWanted = false;
        long sentTicks = time.ticks();
        var sentAt = time.wall();
        long from = applied;
        boolean isFromEntry = isAnchored;
        call(
                server.tick(
                        owner, new LogServer.Registration(terms.node(), epoch, applied), PAGE + 1),
                (answer, failed) -> {
                    isTicking = false;
                    if (answer instanceof State state) {
                        storeTime.measured(sentAt, time.wall(), state.millis());
                        storeMillis = state.millis();
                    }
                    ticked(sentTicks, from, isFromEntry, answer, failed);
                    if (isTickWanted) {
                        tick();
                    }
                });
    }

    private void ticked(
            long sentTicks,
            long from,
            boolean isFromEntry,
            LogServer.@Nullable Tick answer,
            @Nullable Throwable failed) {
        if (answer == null) {
            faulty("fleet-away", "the store does not answer (" + reason(failed) + ")");
            return;
        }
        switch (answer) {
            case LogServer.NoEpoch none -> beginEpoch(0);
            case LogServer.Other(var other) ->
                    faulty(
                            "fleet-refused",
                            "the namespace is that of fleet "
                                    + other.fleet()
                                    + " with schema "
                                    + other.schema()
                                    + " (expected fleet "
                                    + owner.fleet()
                                    + " with schema "
                                    + owner.schema()
                                    + ", or another shared.namespace)");
            case State state -> {
                if (state.epoch() != epoch) {
                    adopt(state);
                    tick();
                } else if (isWhole(from, isFromEntry, state)) {
                    read(sentTicks, state);
                } else {
                    beginEpoch(epoch);
                }
            }
        }
    }

    private static String reason(@Nullable Throwable failed) {
        var cause = failed != null && failed.getCause() != null ? failed.getCause() : failed;
        return cause instanceof TimeoutException
                ? "no answer within " + LONGEST_CALL.toSeconds() + " s"
                : String.valueOf(cause == null ? null : cause.getMessage());
    }

    private void faulty(String event, String reason) {
        if (!reason.equals(fault)) {
            fault = reason;
            LOG.atWarn()
                    .addKeyValue("event", event)
                    .log("fleet: the log of invalidations cannot be used: {}", reason);
        }
        if (event.equals("fleet-refused")) {
            positions.end();
            isSettled = false;
            epoch = 0;
            applied = LogId.NONE;
            isAnchored = false;
            forgetSend();
            former = null;
        }
    }

    /** Whether the log has all entries that this node has read from it, unless it is trimmed. */
    private boolean isWhole(long from, boolean isFromEntry, State state) {
        var entries = state.entries();
        if (!isFromEntry) {
            return state.extent().last() >= state.start();
        }
        if (!entries.isEmpty() && entries.getFirst().id() == from) {
            return true;
        }
        boolean wasTrimmed = wasTrimmed(from, state);
        if (wasTrimmed && state.extent().first() > applied) {
            missed("the log has forgotten entries before this node has read them");
            positions.forget(state.extent().first());
        }
        return wasTrimmed;
    }

    private void read(long sentTicks, State state) {
        var entries = state.entries();
        long before = applied;
        entries.forEach(this::read);
        if (entries.size() > PAGE) {
            tick();
            return;
        }
        if (lastSeen > applied && before < applied) {
            tick();
        }
        lastSeen = LogId.NONE;
        confirm(sentTicks);
    }

    /** Whether the log has only forgotten {@code id} because it is old. */
    private boolean wasTrimmed(long id, State state) {
        var extent = state.extent();
        boolean isOld = LogId.millis(id) < state.millis() - terms.retention().toMillis();
        return extent.first() > id && (isOld || extent.length() >= FULL);
    }

    private void confirm(long sentTicks) {
        if (former == null && !isSettled) {
            settle();
        }
        confirmedTicks = sentTicks;
        wasConfirmed = true;
        if (fault != null) {
            fault = null;
            LOG.atInfo()
                    .addKeyValue("event", "fleet-usable")
                    .log("fleet: the log of invalidations is read up to {}", LogId.text(applied));
        }
        compare();
        send();
        waits.forFleet().forEach(this::ask);
    }

    private void settle() {
        positions.read();
        positions.write();
        isSettled = true;
    }

    private void beginEpoch(long old) {
        LOG.atWarn()
                .addKeyValue("event", "fleet-epoch")
                .log(
                        "fleet: the log of invalidations is {}: a new epoch begins, without the"
                                + " records of the former one",
                        old == 0 ? "absent" : "without entries that it had");
        long next = new SecureRandom().nextLong();
        call(
                server.begin(owner, old, next == 0 ? 1 : next, applied, FleetEntry.begin()),
                (isBegun, failed) -> {
                    if (failed == null) {
                        tick();
                    }
                });
    }

    /** The log is in another epoch than this node. */
    private void adopt(State state) {
        boolean isFirst = epoch == 0;
        long end = applied;
        if (!isFirst) {
            if (former != null) {
                missed("two epochs have begun within a moment");
            } else if (LogId.millis(end) < state.millis() - terms.retention().toMillis()) {
                missed("this node was away for too long");
            }
            former = new Former(epoch, end, null);
            compare();
        }
        var extent = state.extent();
        long oldest = extent.length() == extent.added() ? LogId.NONE : extent.first();
        isSettled = false;
        epoch = state.epoch();
        isAnchored = false;
        applied = isFirst ? LogId.NONE : Math.min(end, state.start() - 1);
        positions.begin(epoch, Math.max(state.start(), oldest));
        if (isFirst) {
            compareWithFormerRun(extent);
        } else {
            positions.read();
        }
        again();
        waits.beginEpoch();
        questions.clear();
    }

    /** The log may not have what was made between two runs of this node. */
    private void compareWithFormerRun(LogServer.Extent extent) {
        var lastRun = terms.lastRun();
        if (!isCompared && lastRun != null) {
            long millis = lastRun.toEpochMilli() + storeTime.offsetMillis() - AGAIN.toMillis();
            if (LogId.millis(extent.first()) > millis) {
                missed("the log begins after the former run of this node");
            }
        }
        isCompared = true;
    }

    /** Appends again what the new epoch may not have. */
    private void again() {
        long from = (wasConfirmed ? confirmedTicks : time.ticks()) - AGAIN.toNanos();
        known.removeIf(each -> each.isInLog && each.atTicks - from < 0);
        queue.clear();
        forgetSend();
        loggedId = LogId.NONE;
        var ofOthers = new ArrayList<Known>();
        var all = known.all();
        all.sort(Comparator.comparingLong((Known each) -> each.first));
        for (var each : all) {
            boolean isOwn = each.name.node().equals(terms.node());
            each.isInLog = false;
            for (long number = each.first; each.hasNumbers() && number <= each.last; number++) {
                positions.enter(number);
            }
            if (isOwn) {
                unlogged.add(each.name.sequence());
                queue.add(each);
            } else {
                ofOthers.add(each);
            }
        }
        waiting = queue.size();
        if (!ofOthers.isEmpty()) {
            // Those of live nodes are in the log by then.
            long present = epoch;
            long longest = terms.lease().toNanos() / 4;
            loop.schedule(
                    guarded(() -> {
                        if (present == epoch) {
                            queue.addAll(ofOthers);
                            send();
                        }
                    }),
                    ThreadLocalRandom.current().nextLong(longest / 5, longest),
                    TimeUnit.NANOSECONDS);
        }
    }

    /** Finds out whether another node had read more of the former log. */
    private void compare() {
        var present = former;
        if (present == null) {
            return;
        }
        var told = present.toldTicks();
        if (told == null || time.ticks() - told >= terms.lease().toNanos()) {
            call(
                    server.furthest(present.epoch(), present.applied()),
                    (last, failed) -> {
                        if (last != null && present.equals(former)) {
                            compared(present, last);
                        }
                    });
        }
    }

    private void compared(Former present, long last) {
        if (present.toldTicks() == null) {
            former = new Former(present.epoch(), present.applied(), time.ticks());
            return;
        }
        if (last > present.applied()) {
            missed("the former log had entries that this node has not read");
        }
        former = null;
        settle();
    }

    /** Hides all that this node has, in any tier. */
    private void missed(String reason) {
        LOG.atWarn()
                .addKeyValue("event", "fleet-missed")
                .log("fleet: all stored responses are purged: {}", reason);
        hideAll();
        positions.drop(firstMade, lastMade);
    }

    private void hideAll() {
        make(new PurgeEntry(EVERYTHING, false, time.now()));
    }

    /** Makes an invalidation; {@code firstMade} and {@code lastMade} are its numbers. */
    private boolean make(InvalidationEntry entry) {
        firstMade = Long.MAX_VALUE;
        lastMade = 0;
        return others.test(entry);
    }

    /** From a message, or from our own append. */
    private void entered(long previous, Entry entry) {
        if (epoch == 0 || entry.id() <= applied) {
            return;
        }
        lastSeen = Math.max(lastSeen, entry.id());
        if (isAnchored && previous == applied) {
            read(entry);
        } else {
            tick();
        }
    }

    private void read(Entry entry) {
        if (entry.id() <= applied) {
            isAnchored = true;
            return;
        }
        switch (FleetEntry.read(entry.bytes(), storeTime)) {
            case null -> {
                missed("entry " + LogId.text(entry.id()) + " is not of this version");
                positions.assign(entry.id());
            }
            case FleetEntry.Begin begin -> positions.assign(entry.id());
            case FleetEntry.Made(var name, var made) -> {
                read(entry, name, made);
                noteLogged(name, entry.id());
            }
            case FleetEntry.Lifted(var name, var ban) -> {
                lift(ban.condition());
                isKnown(name);
                positions.assign(entry.id());
                noteLogged(name, entry.id());
            }
        }
        applied = entry.id();
        isAnchored = true;
        answer();
    }

    private boolean isKnown(EntryName name) {
        var old = known.get(name);
        if (old != null) {
            old.isInLog = true;
        }
        return old != null;
    }

    private void read(Entry entry, EntryName name, InvalidationEntry made) {
        var old = known.get(name);
        if (old != null && old.isInLog) {
            positions.assign(entry.id());
            return;
        }
        long first = Long.MAX_VALUE;
        long last = 0;
        boolean isNew = old == null;
        if (old != null && old.hasNumbers()) {
            first = old.first;
            last = old.last;
        }
        // A ban of this node may have been lifted by an entry before it.
        if (isNew || (made instanceof BanEntry ban && isAbsent(ban.condition()))) {
            if (!make(made)) {
                hideAll();
            }
            first = Math.min(first, firstMade);
            last = Math.max(last, lastMade);
        }
        if (old == null) {
            old = new Known(name, entry.bytes(), time.ticks(), first, last);
            known.add(old);
        }
        old.isInLog = true;
        if (last > 0) {
            positions.assign(entry.id(), first, last);
        } else {
            positions.assign(entry.id());
        }
    }

    private boolean isAbsent(BanCondition condition) {
        return invalidations.activeBan(condition).isEmpty();
    }

    /** Unless the ban is one of this node that will be later in the log. */
    private void lift(BanCondition condition) {
        invalidations.activeBan(condition).stream()
                .filter(number -> !positions.isPending(number))
                .forEach(invalidations::lift);
    }

    /** Answers the nodes that wait for what is applied now. */
    private void answer() {
        if (!questions.isEmpty()) {
            questions.removeIf(question -> {
                boolean isApplied = question.id() <= applied;
                if (isApplied) {
                    server.tell(question.node(), terms.node(), question.id());
                }
                return isApplied;
            });
        }
        waits.told(terms.node(), new RecordPosition(epoch, applied));
    }

    /** Messages of the store, on its thread. */
    private final class Messages implements LogServer.Listener {

        @Override
        public void subscribed() {
            run(FleetLog.this::tick);
        }

        @Override
        public void appended(long previous, Entry entry) {
            run(() -> entered(previous, entry));
        }

        @Override
        public void begun() {
            run(FleetLog.this::tick);
        }

        @Override
        public void asked(String node, long id) {
            run(() -> {
                if (node.equals(terms.node()) || epoch == 0) {
                    return;
                }
                if (id <= applied) {
                    server.tell(node, terms.node(), id);
                } else if (questions.size() < MAX_ASKS) {
                    questions.add(new Question(node, id));
                    tick();
                }
            });
        }

        @Override
        public void applied(String node, long id) {
            run(() -> waits.told(node, new RecordPosition(epoch, id)));
        }
    }
}
