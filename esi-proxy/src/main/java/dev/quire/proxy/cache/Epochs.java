package dev.quire.proxy.cache;

import dev.quire.proxy.cache.InvalidationState.Epoch;
import java.util.ArrayList;
import java.util.List;

/**
 * The processes that have numbered the entries of one sequence of {@link Invalidations}.
 *
 * <p>A process that is killed may lose the last entries that it has numbered, and the next one
 * gives their numbers to others. So a position names its epoch, and one behind the end of its epoch
 * is replaced by that end: the response was tested against all entries up to there.
 *
 * @param all oldest first; not empty
 */
record Epochs(List<Epoch> all) {

    /** A position of a forgotten epoch is not known, which is a miss. */
    static final int MAX_EPOCHS = 1_000;

    Epochs {
        all = List.copyOf(all.subList(Math.max(0, all.size() - MAX_EPOCHS), all.size()));
    }

    static Epochs first(long name) {
        return new Epochs(List.of(new Epoch(name, 0)));
    }

    /** Returns these and a new one. */
    static Epochs after(List<Epoch> former, long name, long newest) {
        var all = new ArrayList<>(former);
        all.add(new Epoch(name, newest));
        return new Epochs(all);
    }

    private Epoch current() {
        return all.getLast();
    }

    RecordPosition position(long number) {
        return new RecordPosition(current().name(), number);
    }

    /** Returns the newest entry that is not after {@code position}, or {@code UNKNOWN}. */
    long order(RecordPosition position, long newest) {
        if (position.number() < 0) {
            return RecordCodec.Orders.UNKNOWN;
        }
        long end = newest;
        for (var epoch : all.reversed()) {
            if (epoch.name() == position.epoch()) {
                return Math.min(position.number(), end);
            }
            end = epoch.before();
        }
        return RecordCodec.Orders.UNKNOWN;
    }

    /** Returns those with an entry from {@code oldest} on, and the current one. */
    List<Epoch> since(long oldest) {
        var since = new ArrayList<Epoch>();
        long end = Long.MAX_VALUE;
        for (var epoch : all.reversed()) {
            if (end >= oldest) {
                since.addFirst(epoch);
            }
            end = epoch.before();
        }
        return since;
    }
}
