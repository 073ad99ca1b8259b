package dev.quire.proxy.fleet;

import dev.quire.proxy.exchange.Time;
import org.jspecify.annotations.Nullable;

/**
 * Compares the log of an epoch that has begun with the one that this node has read, and how far the
 * nodes had read that. Confined to the loop.
 */
final class FormerEpoch {
    private static final String GONE_ON =
            "the log has gone on without entries that this node has read";

    private final FleetLoop loop;
    private final LogServer server;
    private final Time time;
    private final FleetLog.Terms terms;
    private final FleetPositions positions;
    private final LogEntries entries;
    private @Nullable End end;

    /** The clock of the store when this node had read the whole log. */
    private long contactMillis;

    /** Whether the store has ever named another node. */
    private boolean hasOthers;

    /** The receiver of the result. */
    interface Result {
        /** Receives whether this node must purge all that it has: another one had read more. */
        void compared(boolean isBehind);
    }

    /**
     * The end of this node in the epoch.
     *
     * @param lost the last entry that the log has lost and does not get again; {@link LogId#NONE}
     *     if there is not one
     * @param isForked whether the log has gone on without it, or may have
     * @param isLate whether the epoch may have gone on for long without this node
     * @param hasPurged whether this node has purged all that it had, and has said why
     * @param toldTicks when the others could know it; null if they cannot yet
     */
    private record End(
            long epoch,
            long applied,
            long lost,
            boolean isForked,
            boolean isLate,
            boolean hasPurged,
            @Nullable Long toldTicks) {

        End told(long ticks, boolean isPurging) {
            return new End(epoch, applied, lost, isForked, isLate, hasPurged || isPurging, ticks);
        }

        /** Whether other nodes may go on without having read an entry that is lost. */
        boolean isLostTo(LogServer.Ends others) {
            // Positions of different epochs do not compare.
            boolean haveLess = others.compared() < lost || !others.wasNoted();
            boolean haveCompared = others.compared() != LogId.NONE;
            return lost != LogId.NONE && (isForked || (haveCompared && haveLess));
        }
    }

    /**
     * The entries up to the end of this node in the log of another epoch.
     *
     * @param last the last one that this node has read; {@link LogId#NONE} without any
     * @param hasSome whether there are any
     * @param isForked whether the log has gone on without entries that this node has read
     */
    private record Common(long last, boolean hasSome, boolean isForked) {

        /** Whether this node is not known to have read any of them. */
        boolean isUnknown() {
            return hasSome && last == LogId.NONE;
        }

        static Common of(LogServer.State next, long applied, FleetPositions positions) {
            long last = LogId.NONE;
            boolean hasSome = false;
            boolean isForked = false;
            for (var entry : next.entries()) {
                long id = entry.id();
                if (id > applied) {
                    isForked |= id < next.start();
                } else {
                    hasSome = true;
                    isForked |= positions.isUnread(id);
                    last = positions.hasRead(id) ? Math.max(last, id) : last;
                }
            }
            return new Common(last, hasSome, hasSome && isForked);
        }
    }

    /**
     * @param positions of the entries that this node has read
     * @param entries are told what it has missed
     */
    FormerEpoch(
            FleetLoop loop,
            LogServer server,
            Time time,
            FleetLog.Terms terms,
            FleetPositions positions,
            LogEntries entries) {
        this.loop = loop;
        this.server = server;
        this.time = time;
        this.terms = terms;
        this.positions = positions;
        this.entries = entries;
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
     * This node has read the log of {@code epoch} up to {@code applied}; the positions are still
     * those of that. Returns the entry after which it has to read the log of the {@code next}
     * epoch: that may have other entries.
     */
    long end(long epoch, long applied, LogServer.State next) {
        var common = Common.of(next, applied, positions);
        long contact = Math.max(contactMillis, LogId.millis(applied));
        // Each node appends its later entries again.
        long old = positions.last(LogId.ofMillis(contact - FleetLog.AGAIN.toMillis() / 2));
        // An empty log may be this one, begun by a node that does not know it.
        boolean isOurs = !common.hasSome() || EpochNumber.areOfOneLog(epoch, next.epoch());
        long last = isOurs && old > common.last() ? old : LogId.NONE;
        // The store was lost again before the others could know it.
        long untold = untold();
        long lost = Math.max(last, untold);
        boolean hasMissedOne = EpochNumber.areApart(epoch, next.epoch());
        String missed = null;
        if (isOpen()) {
            missed = "two epochs have begun within a moment";
        } else if (hasMissedOne) {
            missed = "the log was in an epoch that this node does not know";
        } else if (contact < next.oldestMillis(terms.retention())) {
            missed = "this node was away for too long";
        } else if (common.isForked() && lost != LogId.NONE) {
            missed = GONE_ON;
        } else if (common.isUnknown()) {
            missed = "the log has other entries than the one that this node has read";
        }
        if (missed != null) {
            entries.missed(missed);
        }
        // The nodes of the one in between may have compared without this one.
        boolean isForked = common.isForked() || hasMissedOne || untold != LogId.NONE;
        boolean isLate = LogId.millis(next.start()) > contact + FleetLog.AGAIN.toMillis();
        end = new End(epoch, applied, lost, isForked, isLate, missed != null, null);
        compare(isBehind -> {});
        return common.last() == LogId.NONE ? applied : common.last();
    }

    /** The entry that was lost to the former epoch, if the others do not know it yet. */
    private long untold() {
        var present = end;
        return present == null || present.toldTicks() != null ? LogId.NONE : present.lost();
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
            boolean hasCompared = told != null;
            var name = NodeName.of(terms.node());
            loop.call(
                    () -> server.end(present.epoch(), present.applied(), name, hasCompared),
                    (ends, failed) -> {
                        if (ends != null && present.equals(end)) {
                            compared(present, ends, result);
                        }
                    });
        }
    }

    private void compared(End present, LogServer.Ends ends, Result result) {
        if (present.toldTicks() == null) {
            boolean isLost = present.isLostTo(ends);
            end = present.told(time.ticks(), isLost);
            if (!isLost) {
                positions.read();
                return;
            }
            if (!present.hasPurged()) {
                entries.missed(GONE_ON);
            }
            entries.missedByAll();
        } else {
            end = null;
            boolean isUncertain = present.isLate() && !ends.areMany() && hasOthers;
            // A node that has missed an epoch tells the others if it has entries that they lack.
            boolean isUnordered = ends.haveOneUnorderedWith(present.epoch());
            boolean isBehind = isUncertain || isUnordered || ends.last() > present.applied();
            // The others append again what they have made since this node has purged.
            result.compared(isBehind && !present.hasPurged());
        }
    }
}
