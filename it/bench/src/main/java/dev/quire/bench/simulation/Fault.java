package dev.quire.bench.simulation;

import java.time.Duration;

/**
 * A disturbance of the fleet.
 *
 * @param from since the start
 */
record Fault(Kind kind, Duration from, Duration lasts) {
    /** One of so many nodes is disturbed. */
    static final int ONE_OF = 10;

    /** The part that does not work. */
    enum Kind {
        /** The first shard answers nothing, and is empty then. */
        SHARD("loss of one shard"),
        /** No shard answers, and all are empty then. */
        STORE("loss of all shards"),
        /** A tenth of the nodes is away, and empty then. */
        NODES("loss of 10 % of the nodes"),
        /** A tenth of the nodes does not reach the store. */
        PARTITION("10 % of the nodes cut off from the store");

        private final String title;

        Kind(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    private boolean isAt(long time) {
        return time >= from.toNanos() && time < from.plus(lasts).toNanos();
    }

    private static boolean isChosen(int node) {
        return node % ONE_OF == ONE_OF - 1;
    }

    /** Whether {@code node} takes requests. */
    boolean isUp(int node, long time) {
        return kind != Kind.NODES || !isChosen(node) || !isAt(time);
    }

    /** Whether {@code node} reaches {@code shard}. */
    boolean isReached(int node, int shard, long time) {
        return !isAt(time)
                || switch (kind) {
                    case SHARD -> shard != 0;
                    case STORE -> false;
                    case NODES -> true;
                    case PARTITION -> !isChosen(node);
                };
    }

    /** Whether {@code node} begins without responses in memory when the fault ends. */
    boolean empties(int node) {
        return kind == Kind.NODES && isChosen(node);
    }

    /** Whether {@code shard} begins without content when the fault ends. */
    boolean emptiesShard(int shard) {
        return kind == Kind.STORE || (kind == Kind.SHARD && shard == 0);
    }

    long end() {
        return from.plus(lasts).toNanos();
    }
}
