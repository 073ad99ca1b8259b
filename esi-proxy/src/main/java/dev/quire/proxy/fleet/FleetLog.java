package dev.quire.proxy.fleet;

import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationEntry.LiftEntry;
import dev.quire.proxy.cache.InvalidationLog;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.cache.LogNote;
import dev.quire.proxy.cache.LogState;
import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.fleet.LogServer.Entry;
import dev.quire.proxy.fleet.LogServer.Owner;
import dev.quire.proxy.fleet.LogServer.State;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

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
     * If the last entry that was read is not in the log any more, or the log is in another epoch
     * that did not begin later, it has lost entries: its store was restarted, or another one has
     * taken its place. Then the finder begins an epoch. No record of the former epoch is used any
     * more. Each node reads on from the last entry that both logs have, and appends its entries of
     * the last minute again; they count as not yet in the log. A node that had read less of the
     * former log than another one does not know what it has missed: it hides all that it has. That
     * is known after a lease, when all others have told how far they had come. A node that was away
     * for a minute before the epoch began hides all that it has too if no other one tells, unless
     * there has been none. So do a node that has missed an epoch, and one that meets nodes of an
     * epoch that began neither before its own nor after it. If the log has gone on without
     * entries that no node appends again, perhaps in that epoch, all nodes hide all.
     *
     * If old entries were forgotten before this node has read them, it hides all that it has too.
     *
     * All of this runs on one thread, which also owns the fields that are not volatile.
     */

    private static final Logger LOG = LoggerFactory.getLogger(FleetLog.class);

    private static final Duration TICK = Duration.ofSeconds(1);

    /** A node of which a tick is lost is still alive. */
    private static final int TICKS_A_LEASE = 4;

    private static final Duration LONGEST_CLOSE = Duration.ofMillis(500);

    /** Entries that were applied so long before the last contact are appended again. */
    static final Duration AGAIN = Duration.ofSeconds(60);

    static final int PAGE = 1_000;

    private final Terms terms;
    private final Invalidations invalidations;
    private final Time time;
    private final LogServer server;
    private final Owner owner;
    private final StoreTime storeTime;
    private final FleetPositions positions;
    private final FleetLoop loop = new FleetLoop();
    private final OwnEntries own;

    private volatile long epoch;
    private volatile long applied;
    private final LogFaults faults = new LogFaults();

    /** Nothing that this node has may be behind the log by an unknown number of entries. */
    private volatile boolean isSettled;

    private volatile boolean wasConfirmed;
    private volatile long confirmedTicks;

    // Confined to the thread.
    private final KnownEntries known = new KnownEntries();
    private final LogEntries entries;
    private final Outbox outbox;
    private final PastNumbers past;
    private final Questions questions;
    private final AckWaits waits;

    /** Whether {@link #applied} is an entry that was read from the log. */
    private boolean isAnchored;

    /** Whether the log is that of another fleet. */
    private boolean isRefused;

    private boolean isTicking;
    private boolean isTickWanted;
    private long lastSeen;
    private long storeMillis;

    private final FormerEpoch former;

    /**
     * The configuration.
     *
     * @param fleet the name of the fleet
     * @param node of {@link NodeName#incarnate}
     * @param lease for so long a node counts on its last confirmed tick
     * @param retention no record in the store is older; the log keeps entries for so long
     * @param journal so many own entries wait at most while the store is away
     */
    public record Terms(
            String fleet, String node, Duration lease, Duration retention, int journal) {}

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
        this.time = time;
        this.server = server;
        this.owner = new Owner(terms.fleet(), FleetEntry.SCHEMA);
        this.storeTime = new StoreTime(time);
        this.positions = new FleetPositions(invalidations::newest);
        this.waits = new AckWaits(terms.node(), terms.lease());
        this.entries =
                new LogEntries(invalidations, others, positions, known, storeTime, time.wall());
        this.former = new FormerEpoch(loop, server, time, terms, positions, entries);
        this.questions = new Questions(server, terms.node(), positions, this::afterSync);
        var notes = invalidations.notes();
        long first = Math.min(notes.oldest(), invalidations.newest());
        this.past = new PastNumbers(terms.retention().plus(AGAIN), first);
        this.outbox = new Outbox(terms, loop, server, known, notes, storeTime, new Appender());
        this.own = new OwnEntries(terms.node(), storeTime, invalidations, loop, outbox);
    }

    /** Begins to take part, in the background. */
    public void start() {
        // First: further entries come by themselves.
        var noted = invalidations.notes().state();
        loop.run(() -> resume(noted));
        invalidations.alsoLogTo(this, past::number);
        server.connect(new Messages());
        long between = Math.min(TICK.toNanos(), terms.lease().toNanos() / TICKS_A_LEASE);
        loop.repeat(Duration.ofNanos(between), this::everyTick);
    }

    /** Goes on where a former process of this node has ended, as if it had been cut off. */
    private void resume(@Nullable LogState noted) {
        if (noted != null) {
            own.resume(noted, entries);
        }
        if (noted != null && noted.epoch() != 0) {
            positions.resume(noted);
            epoch = noted.epoch();
            applied = noted.applied();
            isAnchored = true;
        }
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

    /** Whether the calling thread makes the entries of the log. */
    public boolean isMaking() {
        return loop.isHere();
    }

    /** By how much the clock of the store is ahead of this machine's, in milliseconds. */
    public long wallOffsetMillis() {
        return storeTime.offsetMillis();
    }

    /** Asks the store for the log and all nodes; fails if it does not answer. */
    public CompletionStage<FleetOverview> overview() {
        return FleetOverview.ask(server, terms, members -> loop.run(() -> known(members)));
    }

    private void known(LogServer.Members members) {
        if (!isRefused) {
            waits.known(members);
        }
    }

    public FleetStatus status() {
        var lag = wasConfirmed ? Duration.ofNanos(time.ticks() - confirmedTicks) : null;
        var read = new FleetStatus.Position(epoch, applied, positions.floor(), lag);
        var counts = entries.counts(own.count());
        var fault = faults.present();
        var why = fault == null ? outbox.fault() : fault;
        return new FleetStatus(terms.node(), read, isCurrent(), outbox.size(), counts, why);
    }

    @Override
    public void append(long number, InvalidationEntry entry) {
        boolean isLifted = entry instanceof LiftEntry;
        if (!isLifted) {
            positions.enter(number);
        }
        if (!isMaking()) {
            own.append(number, entry);
        } else if (!isLifted) {
            entries.made(number);
        }
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
        var here = new Acknowledged(ack, null, Set.of(NodeName.of(terms.node())), Set.of());
        if (ack == Ack.LOCAL) {
            return CompletableFuture.completedStage(here);
        }
        var wait = new AckWaits.Wait(own.count(), ack == Ack.FLEET);
        loop.run(() -> {
            waits.add(wait);
            loop.later(patience, () -> waits.end(wait));
            outbox.noteLogged();
        });
        if (loop.isClosed()) {
            wait.done.complete(here);
        }
        return wait.done.minimalCompletionStage();
    }

    /** Appends the entries so far if that takes only a moment, and leaves the fleet. */
    @Override
    public void close() {
        invalidations.endLog(this);
        try {
            acknowledged(Ack.LOG, LONGEST_CLOSE).toCompletableFuture().join();
            loop.run(waits::endAll);
            loop.close(); // First: a tick would register this node again.
            server.leave(terms.node(), terms.lease())
                    .toCompletableFuture()
                    .copy()
                    .exceptionally(ignored -> 0L)
                    .completeOnTimeout(0L, LONGEST_CLOSE.toNanos(), TimeUnit.NANOSECONDS)
                    .join();
        } finally {
            server.close();
        }
    }

    private void logged(long upTo, long id) {
        var before = Set.copyOf(waits.forFleet());
        waits.logged(upTo, new RecordPosition(epoch, id));
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
        loop.call(
                () -> server.ask(terms.node(), position),
                (overview, failed) -> {
                    if (overview != null) {
                        waits.known(wait, overview);
                    }
                });
    }

    private void everyTick() {
        past.note(time.ticks(), invalidations.newest());
        if (storeMillis > 0 && isSettled) {
            positions.forget(LogId.ofMillis(storeMillis - terms.retention().toMillis()));
            known.forget(confirmedTicks - AGAIN.toNanos());
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
        long from = applied;
        boolean isFromEntry = isAnchored;
        afterSync(() -> tick(from, isFromEntry));
    }

    /** Runs {@code task} once the journal has what is applied, or after a moment. */
    private void afterSync(Runnable task) {
        loop.call(invalidations::syncOwn, (durability, late) -> task.run());
    }

    private void tick(long from, boolean isFromEntry) {
        long sentTicks = time.ticks();
        var sentAt = time.wall();
        loop.call(
                () -> server.tick(owner, waits.registration(epoch, from), PAGE + 1),
                (answer, failed) -> {
                    isTicking = false;
                    if (answer instanceof State state) {
                        storeTime.measured(sentAt, time.wall(), state.millis());
                        storeMillis = state.millis();
                        waits.registered(state, state.epoch() != epoch);
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
            faulty("fleet-away", "store " + server.addresses() + ": " + FleetLoop.reason(failed));
            return;
        }
        switch (answer) {
            case LogServer.NoEpoch none -> beginEpoch(0);
            case LogServer.Other other -> faulty("fleet-refused", other.insteadOf(owner));
            case State state -> {
                isRefused = false;
                if (!isWhole(from, isFromEntry, state)) {
                    beginEpoch(state.epoch());
                } else if (state.epoch() == epoch) {
                    read(sentTicks, from, state);
                } else {
                    adopt(state);
                    tick();
                }
            }
        }
    }

    private void faulty(String event, String reason) {
        faults.read(event, reason);
        if (event.equals("fleet-refused")) {
            positions.end();
            isSettled = false;
            isRefused = true;
            outbox.forgetSend();
        }
    }

    /**
     * Whether the log has all entries that this node has read from it, unless it is trimmed, or is
     * in a later epoch. Records of a former epoch are never used again.
     */
    private boolean isWhole(long from, boolean isFromEntry, State state) {
        if (state.epoch() != epoch) {
            // Another log that began before what this node has read is an older one that is back.
            return EpochNumber.canFollow(epoch, state.epoch())
                    && (EpochNumber.areOfOneLog(epoch, state.epoch()) || state.start() > from);
        }
        long oldest = state.oldestMillis(terms.retention());
        if (!isFromEntry) {
            return state.mayHaveStart(oldest);
        }
        if (state.beginsWith(from)) {
            return true;
        }
        boolean wasTrimmed = state.extent().hasForgotten(from, oldest);
        if (wasTrimmed && state.extent().first() > applied) {
            entries.missedBefore(
                    state.extent().first(),
                    "the log has forgotten entries before this node has read them");
        }
        return wasTrimmed;
    }

    private void read(long sentTicks, long from, State state) {
        long before = applied;
        state.entries().forEach(entry -> read(entry, EntrySource.CATCHUP));
        entries.note(epoch);
        if (state.hasMoreThan(from) && applied < state.extent().last()) {
            tick();
            return;
        }
        if (lastSeen > applied && before < applied) {
            tick();
        }
        lastSeen = LogId.NONE;
        confirm(sentTicks, state);
    }

    private void confirm(long sentTicks, State state) {
        if (!former.isOpen() && !isSettled) {
            settle();
        }
        confirmedTicks = sentTicks;
        former.contact(state, waits.hasOthers());
        wasConfirmed = true;
        faults.endOfReads(applied);
        former.compare(this::compared);
        outbox.send();
        waits.forFleet().forEach(this::ask);
    }

    private void compared(boolean isBehind) {
        if (isBehind) {
            entries.missed("the former log had entries that this node has not read");
        }
        settle();
    }

    private void settle() {
        positions.read();
        positions.write();
        invalidations.notes().settle();
        isSettled = true;
    }

    private void beginEpoch(long old) {
        LOG.atLevel(epoch == 0 ? Level.INFO : Level.WARN)
                .addKeyValue("event", "fleet-epoch")
                .log(
                        "fleet: the log of invalidations {}: a new epoch begins, without the records"
                                + " of the former one (expected a store that keeps its data, with"
                                + " maxmemory-policy noeviction or volatile-*)",
                        old == 0 ? "is absent" : "lacks entries that it had");
        // In place of an epoch that cannot follow, a number is left out: each node has missed one.
        boolean isNext = old == 0 || old == epoch;
        long next = EpochNumber.after(isNext ? epoch : EpochNumber.after(epoch));
        loop.call(
                () -> server.begin(owner, old, next, applied, FleetEntry.begin()),
                (isBegun, failed) -> {
                    if (failed == null) {
                        tick();
                    }
                });
    }

    /** The log is in another epoch than this node. */
    private void adopt(State state) {
        boolean isFirst = epoch == 0;
        long end = isFirst ? LogId.NONE : former.end(epoch, applied, state);
        var extent = state.extent();
        long oldest = extent.length() == extent.added() ? LogId.NONE : extent.first();
        isSettled = false;
        epoch = state.epoch();
        isAnchored = false;
        applied = Math.min(end, state.start() - 1);
        positions.begin(epoch, Math.max(state.start(), oldest));
        if (isFirst) {
            entries.compareWithFormerRun(extent);
        }
        entries.again(
                new LogNote.Begun(epoch, positions.floor(), applied),
                (wasConfirmed ? confirmedTicks : time.ticks()) - AGAIN.toNanos());
        outbox.again();
        questions.clear();
    }

    /** From a message, or from our own append. */
    private void entered(long previous, Entry entry) {
        if (epoch == 0 || isRefused || entry.id() <= applied) {
            return;
        }
        lastSeen = Math.max(lastSeen, entry.id());
        if (isAnchored && previous == applied) {
            read(entry, EntrySource.DOORBELL);
            entries.note(epoch);
        } else {
            tick();
        }
    }

    private void read(Entry entry, EntrySource source) {
        if (entry.id() > applied) {
            var name = entries.read(entry, source);
            applied = entry.id();
            if (name != null) {
                outbox.noteLogged(name, entry.id());
            }
            questions.answer(applied);
            waits.told(terms.node(), new RecordPosition(epoch, applied));
        }
        isAnchored = true;
    }

    /** This log for its own entries. */
    private final class Appender implements Outbox.Owner {

        @Override
        public long epoch() {
            return epoch;
        }

        @Override
        public long applied() {
            return applied;
        }

        @Override
        public void appended(long previous, Entry entry) {
            entered(previous, entry);
        }

        @Override
        public void dropped(long... numbers) {
            positions.drop(numbers);
        }

        @Override
        public void refused() {
            tick();
        }

        @Override
        public void logged(long sequence, long id) {
            FleetLog.this.logged(sequence, id);
        }
    }

    /** Messages of the store, on its thread. */
    private final class Messages implements LogServer.Listener {

        @Override
        public void connected() {
            loop.run(FleetLog.this::tick);
        }

        @Override
        public void listening(@Nullable String fault) {
            faults.messages(fault);
        }

        @Override
        public void appended(long previous, Entry entry) {
            loop.run(() -> entered(previous, entry));
        }

        @Override
        public void begun() {
            loop.run(FleetLog.this::tick);
        }

        @Override
        public void asked(String node, RecordPosition position) {
            loop.run(() -> {
                if (!isRefused && !node.equals(terms.node()) && !questions.ask(node, position)) {
                    tick();
                }
            });
        }

        @Override
        public void applied(String node, RecordPosition position) {
            loop.run(() -> waits.told(node, position));
        }
    }
}
