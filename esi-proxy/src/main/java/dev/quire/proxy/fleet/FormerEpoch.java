package dev.quire.proxy.fleet;

import dev.quire.proxy.exchange.Time;
import org.jspecify.annotations.Nullable;

/** Compares how far the nodes had read the log of an epoch that has ended. Confined to the loop. */
final class FormerEpoch {
    private static final String TWO_SERVERS = "two servers had the log, each with other entries";

    private final FleetLoop loop;
    private final LogServer server;
    private final Time time;
    private final FleetLog.Terms terms;
    private @Nullable End end;

    /** The clock of the store when this node had read the whole log. */
    private long contactMillis;

    /** Whether the store has ever named another node. */
    private boolean hasOthers;

    /** Between the log of another epoch and the one that this node has read. */
    private enum Difference {
        NONE,
        /** Two servers had the log for a moment: each node appends its entries again. */
        BRIEF,
        /** The same for so long that entries are not appended again. */
        LONG
    }

    /** The receiver of the result. */
    interface Result {
        /** Receives whether another node had read more than this one. */
        void compared(boolean isBehind);
    }

    /**
     * The end of this node in the epoch.
     *
     * @param isLate whether the epoch may have gone on for long without this node
     * @param toldTicks when the others could know it; null if they cannot yet
     */
    private record End(long epoch, long applied, boolean isLate, @Nullable Long toldTicks) {}

    FormerEpoch(FleetLoop loop, LogServer server, Time time, FleetLog.Terms terms) {
        this.loop = loop;
        this.server = server;
        this.time = time;
        this.terms = terms;
    }

    /** Whether there is an epoch to compare. */
    boolean isOpen() {
        return end != null;
    }

    /**
     * This node has read the whole log.
     *
     * @param hasOthers whether the store has ever named another node
     */
    void contact(LogServer.State state, boolean hasOthers) {
        contactMillis = state.millis();
        this.hasOthers = hasOthers;
    }

    /**
     * This node has read the log of {@code epoch} up to {@code applied}. Entries that were appended
     * long before the {@code next} epoch are not appended again.
     */
    void end(long epoch, long applied, LogServer.State next) {
        long contact = Math.max(contactMillis, LogId.millis(applied));
        boolean isLate = LogId.millis(next.start()) > contact + FleetLog.AGAIN.toMillis();
        end = new End(epoch, applied, isLate, null);
        compare(isBehind -> {});
    }

    /**
     * Tells {@code entries} if this node, which has read the log up to {@code applied}, does not
     * know all that the log had before the {@code next} epoch.
     *
     * @param positions of the entries that it has read
     */
    void findMissed(
            LogServer.State next, long applied, FleetPositions positions, LogEntries entries) {
        switch (difference(next, applied, positions)) {
            case LONG -> entries.missedByAll(TWO_SERVERS);
            case BRIEF -> entries.missed(TWO_SERVERS);
            case NONE -> {
                if (isOpen()) {
                    entries.missed("two epochs have begun within a moment");
                } else if (LogId.millis(applied) < next.oldestMillis(terms.retention())) {
                    entries.missed("this node was away for too long");
                } else if (next.start() <= applied) {
                    entries.missed("the log is older than the one that this node has read");
                }
            }
        }
    }

    private Difference difference(LogServer.State next, long applied, FleetPositions positions) {
        long kept = LogId.NONE;
        long unread = LogId.NONE;
        // Without a later entry all nodes may have read the ones that are lost.
        boolean wentOn = false;
        for (var entry : next.entries()) {
            long id = entry.id();
            if (id > applied) {
                wentOn |= id < next.start();
            } else if (positions.mayHaveRead(id)) {
                kept = Math.max(kept, id);
            } else {
                unread = unread == LogId.NONE ? id : Math.min(unread, id);
            }
        }
        boolean isUnread = unread != LogId.NONE;
        long lost = kept == LogId.NONE ? LogId.NONE : positions.next(kept);
        boolean isLongLost = kept == LogId.NONE ? isUnread : lost != LogId.NONE && !isAgain(lost);
        if (isUnread) {
            return isLongLost || !isAgain(unread) ? Difference.LONG : Difference.BRIEF;
        }
        return isLongLost && wentOn ? Difference.LONG : Difference.NONE;
    }

    /** Whether the node that made the entry {@code id} appends it again. */
    private boolean isAgain(long id) {
        return LogId.millis(id) >= contactMillis - FleetLog.AGAIN.toMillis() / 2;
    }

    /**
     * Goes on with the comparison; called again and again. The result comes a lease after the
     * others could know the end of this node: by then they have told theirs, or are not alive. A
     * node that is late does not know what it has missed if no other one tells.
     */
    void compare(Result result) {
        var present = end;
        if (present == null) {
            return;
        }
        var told = present.toldTicks();
        if (told == null || time.ticks() - told >= terms.lease().toNanos()) {
            loop.call(
                    () -> server.end(present.epoch(), present.applied(), NodeName.of(terms.node())),
                    (ends, failed) -> {
                        if (ends != null && present.equals(end)) {
                            compared(present, ends, result);
                        }
                    });
        }
    }

    private void compared(End present, LogServer.Ends ends, Result result) {
        if (present.toldTicks() == null) {
            end = new End(present.epoch(), present.applied(), present.isLate(), time.ticks());
        } else {
            end = null;
            boolean isUncertain = present.isLate() && !ends.areMany() && hasOthers;
            result.compared(isUncertain || ends.last() > present.applied());
        }
    }
}
