package dev.quire.bench.fleet;

/** A way to disturb a fleet while it serves. */
enum Nemesis {
    /** The store is stopped: connections stay, and nothing is answered. */
    STORE_STOPPED(Target.STORE),
    /** The store is killed, and starts again empty. */
    STORE_KILLED(Target.STORE),
    /** One command of the store takes seconds. */
    STORE_SLOW(Target.STORE),
    /** The store loses its log of invalidations, and nothing else. */
    LOG_LOST(Target.STORE),
    /** Bytes of records are changed. */
    VALUES_DAMAGED(Target.STORE),
    /** Keys get the values of other keys. */
    VALUES_SWAPPED(Target.STORE),
    /** The primary server is killed, its replica replaces it, and it returns as the replica. */
    PRIMARY_KILLED(Target.WATCHED_STORE),
    /** The same with a server that is stopped, and returns as a primary server first. */
    PRIMARY_STOPPED(Target.WATCHED_STORE),
    /** A proxy is killed and started again. */
    NODE_KILLED(Target.NODE),
    /**
     * A proxy is stopped: its connections stay, and it answers later what it is asked meanwhile.
     */
    NODE_STOPPED(Target.NODE),
    /** Half a second passes between a node and the store, each way. */
    LATENCY(Target.BYTES),
    /** A node and the store get each other's bytes in small pieces. */
    SLICED(Target.BYTES),
    /** Connections between a node and the store are reset. */
    RESET(Target.BYTES),
    /** A node and the store get nothing from each other. */
    CUT_OFF(Target.LINE),
    /** A node that gets nothing from the store is killed, and starts again before or after that. */
    NODE_KILLED_APART(Target.LINE);

    /** The part of a fleet that is disturbed. */
    enum Target {
        /** A store of one server. */
        STORE,
        /** A store with {@link Failover}. */
        WATCHED_STORE,
        /** One proxy. */
        NODE,
        /** The bytes between one proxy and the store. */
        BYTES,
        /** The line between one proxy and the store, which can be cut. */
        LINE;

        /** Whether it is a store, else one node. */
        boolean isStore() {
            return this == STORE || this == WATCHED_STORE;
        }

        /** Whether {@code fleet} has it. */
        boolean isIn(Fleet fleet) {
            return switch (this) {
                case STORE -> fleet.store().isPresent();
                case WATCHED_STORE -> fleet.failover().isPresent();
                case NODE -> true;
                case BYTES -> fleet.toxiproxy().isPresent();
                case LINE -> fleet.lines().isPresent();
            };
        }
    }

    private final Target target;

    Nemesis(Target target) {
        this.target = target;
    }

    Target target() {
        return target;
    }
}
