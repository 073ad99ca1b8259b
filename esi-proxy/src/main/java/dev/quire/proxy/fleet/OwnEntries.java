package dev.quire.proxy.fleet;

import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationEntry.BanEntry;
import dev.quire.proxy.cache.InvalidationEntry.GroupsEntry;
import dev.quire.proxy.cache.InvalidationEntry.LiftEntry;
import dev.quire.proxy.cache.InvalidationEntry.UrlEntry;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.cache.LogNote;
import dev.quire.proxy.cache.LogState;
import dev.quire.proxy.cache.LogState.Own;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.fleet.KnownEntries.Known;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The entries that this node makes, on their way to the outbox. Thread-safe. */
final class OwnEntries {
    private final String node;
    private final Time storeTime;
    private final Invalidations invalidations;
    private final FleetLoop loop;
    private final Outbox outbox;
    private final AtomicLong sequence = new AtomicLong();

    OwnEntries(
            String node,
            Time storeTime,
            Invalidations invalidations,
            FleetLoop loop,
            Outbox outbox) {
        this.node = node;
        this.storeTime = storeTime;
        this.invalidations = invalidations;
        this.loop = loop;
        this.outbox = outbox;
    }

    /** The number of entries so far. */
    long count() {
        return sequence.get();
    }

    /**
     * Names an entry, and adds it to the outbox and the notes of the journal. With the lock of the
     * invalidations held.
     */
    void append(long number, InvalidationEntry entry) {
        boolean isLifted = entry instanceof LiftEntry;
        var logged = logged(entry);
        if (logged != null) {
            var name = new EntryName(node, sequence.incrementAndGet());
            var numbers = isLifted ? new long[0] : new long[] {number};
            var bytes = FleetEntry.write(name, logged, isLifted, storeTime);
            invalidations.notes().add(new LogNote.Made(new Own(number, 0, numbers, bytes)));
            var known = new Known(name, bytes, storeTime.ticks(), number, numbers);
            boolean mayWait = entry instanceof UrlEntry || entry instanceof GroupsEntry;
            loop.run(() -> outbox.add(known, mayWait));
        }
    }

    /** Continues with the entries of a former process, under their names. On the loop, first. */
    void resume(LogState noted, LogEntries entries) {
        var all = new ArrayList<Known>();
        for (var own : noted.own()) {
            var name = FleetEntry.name(own.bytes());
            if (name != null) {
                var known =
                        new Known(
                                name, own.bytes(), storeTime.ticks(), own.number(), own.numbers());
                known.isInLog = !own.isPending();
                known.wasInLog = known.isInLog;
                all.add(known);
            }
        }
        all.stream().filter(each -> !each.isInLog).forEach(entries::enter);
        outbox.resume(all);
    }

    /** The end of a ban names its condition. */
    private @Nullable InvalidationEntry logged(InvalidationEntry entry) {
        if (entry instanceof LiftEntry(var ban, var since)) {
            var condition = invalidations.condition(ban);
            return condition == null ? null : new BanEntry(condition, since);
        }
        return entry;
    }
}
