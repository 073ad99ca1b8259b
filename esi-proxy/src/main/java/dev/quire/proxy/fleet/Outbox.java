package dev.quire.proxy.fleet;

import dev.quire.proxy.cache.LogNote;
import dev.quire.proxy.cache.LogNotes;
import dev.quire.proxy.cache.LogState.Own;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.fleet.KnownEntries.Known;
import dev.quire.proxy.fleet.LogServer.Appended;
import dev.quire.proxy.fleet.LogServer.Entry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The entries that this node appends to the log. Confined to the loop, except where noted. */
final class Outbox {
    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);

    /** How long an unsafe request waits for others, to be appended together. */
    private static final Duration BATCH = Duration.ofMillis(10);

    private static final int MAX_BATCH = 100;
    private static final int MAX_BATCH_BYTES = 1 << 20;

    /** Of all entries that wait. */
    private static final long MAX_BYTES = 16 << 20;

    private final FleetLog.Terms terms;
    private final FleetLoop loop;
    private final LogServer server;
    private final KnownEntries known;
    private final LogNotes notes;
    private final Time storeTime;
    private final Owner owner;
    private final ArrayDeque<Known> queue = new ArrayDeque<>();

    /**
     * The numbers of own entries that are not in the log. That of a purge of everything is before
     * all: until the log has it, no entry is known to be there.
     */
    private final TreeSet<Long> unlogged = new TreeSet<>();

    /** The length of the entries in the queue. */
    private long bytes;

    private volatile int size;

    /** Why the entries that wait could not be appended, or null. */
    private volatile @Nullable String fault;

    private boolean isSendPlanned;
    private boolean isSending;

    /** Numbers the appends: the answers to former ones do not count. */
    private long sends;

    /** The newest own entry that was queued. */
    private long queued;

    /** The last id of an own entry in this epoch. */
    private long loggedId;

    /** The log of this node. */
    interface Owner {
        /** 0 if it is not known. */
        long epoch();

        /** The last entry that was read. */
        long applied();

        /** {@code entry} was appended after {@code previous}. */
        void appended(long previous, Entry entry);

        /** These invalidations are part of another one. */
        void dropped(long... numbers);

        /** The log is in another epoch, or must begin one. */
        void refused();

        /** The log has all own entries up to {@code sequence}, at the latest at {@code id}. */
        void logged(long sequence, long id);
    }

    Outbox(
            FleetLog.Terms terms,
            FleetLoop loop,
            LogServer server,
            KnownEntries known,
            LogNotes notes,
            Time storeTime,
            Owner owner) {
        this.terms = terms;
        this.loop = loop;
        this.server = server;
        this.known = known;
        this.notes = notes;
        this.storeTime = storeTime;
        this.owner = owner;
    }

    /** The number of entries that wait. Thread-safe. */
    int size() {
        return size;
    }

    /** Why the entries that wait could not be appended, or null. Thread-safe. */
    @Nullable String fault() {
        return fault;
    }

    /**
     * Adds an own entry.
     *
     * @param mayWait whether it waits for others
     */
    void add(Known own, boolean mayWait) {
        known.add(own);
        queue.add(own);
        queued = own.name.sequence();
        unlogged.add(queued);
        bytes += own.bytes.length;
        size = queue.size();
        bound();
        if (!mayWait) {
            send();
        } else if (!isSendPlanned) {
            isSendPlanned = true;
            loop.later(
                    BATCH,
                    () -> {
                        isSendPlanned = false;
                        send();
                    });
        }
    }

    /** Adds the entries of a former process, before all others. */
    void resume(List<Known> all) {
        all.forEach(known::add);
        all.stream().filter(each -> !each.isInLog).forEach(queue::add);
        count();
        bound();
    }

    private void count() {
        size = queue.size();
        bytes = queue.stream().mapToLong(each -> each.bytes.length).sum();
    }

    /** If too many wait, the other nodes will hide all that they have instead. */
    private void bound() {
        if ((queue.size() <= terms.journal() && bytes <= MAX_BYTES) || isSending || isNotFull()) {
            return;
        }
        LOG.atWarn()
                .addKeyValue("event", "fleet-journal-full")
                .log(
                        "fleet: more than {} invalidations, or {} MiB, wait for the log: the other"
                                + " nodes will purge everything instead (expected a store that"
                                + " answers, or a larger fleet.journal)",
                        terms.journal(),
                        MAX_BYTES >> 20);
        queue.forEach(each -> known.remove(each.name));
        var numbers = queue.stream().flatMapToLong(each -> LongStream.of(each.numbers));
        var ascending = numbers.sorted().toArray();
        if (ascending.length > 2) {
            // A record is tested against all of them if it is against the first one.
            owner.dropped(Arrays.copyOfRange(ascending, 1, ascending.length - 1));
            ascending = new long[] {ascending[0], ascending[ascending.length - 1]};
        }
        long last = queue.stream().mapToLong(each -> each.number).max().orElse(0);
        var dropped =
                queue.stream()
                        .filter(each -> each.number != 0 && each.number != last)
                        .map(each -> new LogNote.OwnId(each.number, 0))
                        .toList();
        queue.clear();
        // A name of its own: the log may have the last entry, without an answer.
        var name = new EntryName(terms.node(), -queued);
        unlogged.clear();
        unlogged.add(name.sequence());
        var everything = LogEntries.everything(storeTime.now());
        var all =
                new Known(
                        name,
                        FleetEntry.write(name, everything, false, storeTime),
                        storeTime.ticks(),
                        last,
                        ascending);
        known.add(all);
        queue.add(all);
        count();
        if (last != 0) {
            notes.add(new LogNote.Made(new Own(last, 0, ascending, all.bytes)));
            notes.add(new LogNote.Read(0, 0, 0, List.of(), dropped));
        }
    }

    /** Without the entries of the last minute that are appended again. */
    private boolean isNotFull() {
        long count = 0;
        long length = 0;
        for (var each : queue) {
            if (!each.wasInLog) {
                count++;
                length += each.bytes.length;
            }
        }
        return count <= terms.journal() && length <= MAX_BYTES;
    }

    /** Appends entries, unless some are on their way. */
    void send() {
        long epoch = owner.epoch();
        if (epoch == 0 || isSending) {
            return;
        }
        // Those of others, which another node has appended meanwhile.
        queue.removeIf(each -> each.isInLog);
        count();
        if (queue.isEmpty()) {
            fault = null;
            return;
        }
        var batch = new ArrayList<Known>();
        int length = 0;
        for (var each : queue) {
            length += each.bytes.length;
            if (batch.size() == MAX_BATCH || (length > MAX_BATCH_BYTES && !batch.isEmpty())) {
                break;
            }
            batch.add(each);
        }
        isSending = true;
        long number = ++sends;
        loop.call(
                () ->
                        server.append(
                                epoch,
                                owner.applied(),
                                batch.stream().map(each -> each.bytes).toList(),
                                terms.retention().toMillis(),
                                FleetPositions.MAX_ENTRIES),
                (answer, failed) -> sent(number, batch, answer, failed));
    }

    private void sent(
            long number,
            List<Known> batch,
            LogServer.@Nullable Append answer,
            @Nullable Throwable failed) {
        if (number != sends) {
            // In a former epoch.
            return;
        }
        isSending = false;
        if (!(answer instanceof Appended(var previous, var ids))) {
            // They are sent again after the next tick.
            bound();
            if (answer == null) {
                fails(FleetLoop.reason(failed));
            } else {
                owner.refused();
            }
            return;
        }
        long before = previous;
        for (int i = 0; i < batch.size(); i++) {
            var each = queue.removeFirst();
            noteLogged(each.name, ids.get(i));
            owner.appended(before, new Entry(ids.get(i), each.bytes));
            before = ids.get(i);
        }
        count();
        send();
    }

    private void fails(String reason) {
        if (fault == null) {
            LOG.atWarn()
                    .addKeyValue("event", "fleet-append-fails")
                    .log(
                            "fleet: invalidations of this node cannot be appended to the log, and"
                                    + " the others do not have them yet: {}",
                            reason);
        }
        fault = reason;
    }

    /** The log has that entry. */
    void noteLogged(EntryName name, long id) {
        if (name.node().equals(terms.node())) {
            unlogged.remove(name.sequence());
            loggedId = Math.max(loggedId, id);
            noteLogged();
        }
    }

    void noteLogged() {
        owner.logged(unlogged.isEmpty() ? queued : unlogged.first() - 1, loggedId);
    }

    /** Forgets the answer to an append. */
    void forgetSend() {
        isSending = false;
        sends++;
    }

    /** All known entries are appended again, in an epoch that may not have them. */
    void again() {
        forgetSend();
        queue.clear();
        loggedId = LogId.NONE;
        var ofOthers = new ArrayList<Known>();
        for (var each : known.all()) {
            each.isInLog = false;
            if (each.name.node().equals(terms.node())) {
                unlogged.add(each.name.sequence());
                queue.add(each);
            } else {
                ofOthers.add(each);
            }
        }
        count();
        if (!ofOthers.isEmpty()) {
            // Those of live nodes are in the log by then.
            long epoch = owner.epoch();
            long longest = terms.lease().toNanos() / 4;
            loop.later(
                    Duration.ofNanos(ThreadLocalRandom.current().nextLong(longest / 5, longest)),
                    () -> {
                        if (epoch == owner.epoch()) {
                            queue.addAll(ofOthers);
                            send();
                        }
                    });
        }
    }
}
