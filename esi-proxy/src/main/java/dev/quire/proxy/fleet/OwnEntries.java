package dev.quire.proxy.fleet;

import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationEntry.BanEntry;
import dev.quire.proxy.cache.InvalidationEntry.LiftEntry;
import dev.quire.proxy.cache.Invalidations;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The entries that this node makes, on their way to the outbox. Thread-safe. */
final class OwnEntries {
    private final String node;
    private final Invalidations invalidations;
    private final FleetLoop loop;
    private final Outbox outbox;
    private final AtomicLong sequence = new AtomicLong();

    OwnEntries(String node, Invalidations invalidations, FleetLoop loop, Outbox outbox) {
        this.node = node;
        this.invalidations = invalidations;
        this.loop = loop;
        this.outbox = outbox;
    }

    /** The number of entries so far. */
    long count() {
        return sequence.get();
    }

    /** Names an entry, and adds it to the outbox. With the lock of the invalidations held. */
    void append(long number, InvalidationEntry entry) {
        boolean isLifted = entry instanceof LiftEntry;
        var logged = logged(entry);
        if (logged != null) {
            var name = new EntryName(node, sequence.incrementAndGet());
            var numbers = isLifted ? new long[0] : new long[] {number};
            loop.run(() -> outbox.add(name, logged, isLifted, numbers));
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
}
