package dev.quire.proxy.fleet;

import dev.quire.proxy.exchange.Time;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Compares how far the nodes had read the log of an epoch that has ended. Confined to the loop. */
final class FormerEpoch {
    private final FleetLoop loop;
    private final LogServer server;
    private final Time time;
    private final Duration lease;
    private @Nullable End end;

    /** The receiver of the result. */
    interface Result {
        /** Receives whether another node had read more than this one. */
        void compared(boolean isBehind);
    }

    /**
     * The end of this node in the epoch.
     *
     * @param isLate whether the epoch went on for long without this node
     * @param toldTicks when the others could know it; null if they cannot yet
     */
    private record End(long epoch, long applied, boolean isLate, @Nullable Long toldTicks) {}

    FormerEpoch(FleetLoop loop, LogServer server, Time time, Duration lease) {
        this.loop = loop;
        this.server = server;
        this.time = time;
        this.lease = lease;
    }

    /** Whether there is an epoch to compare. */
    boolean isOpen() {
        return end != null;
    }

    /**
     * This node has read the log of {@code epoch} up to {@code applied}.
     *
     * @param isLate whether that may be long before the end, so that it needs others that know it
     */
    void end(long epoch, long applied, boolean isLate) {
        end = new End(epoch, applied, isLate, null);
        compare(isBehind -> {});
    }

    void forget() {
        end = null;
    }

    /**
     * Goes on with the comparison; called again and again. The result comes a lease after the
     * others could know the end of this node: by then they have told theirs, or are not alive.
     */
    void compare(Result result) {
        var present = end;
        if (present == null) {
            return;
        }
        var told = present.toldTicks();
        if (told == null || time.ticks() - told >= lease.toNanos()) {
            loop.call(
                    server.furthest(present.epoch(), present.applied(), !present.isLate()),
                    (last, failed) -> {
                        if (last != null && present.equals(end)) {
                            compared(present, last, result);
                        }
                    });
        }
    }

    private void compared(End present, long last, Result result) {
        if (present.toldTicks() == null) {
            end = new End(present.epoch(), present.applied(), present.isLate(), time.ticks());
        } else {
            end = null;
            result.compared(last == LogId.NONE || last > present.applied());
        }
    }
}
