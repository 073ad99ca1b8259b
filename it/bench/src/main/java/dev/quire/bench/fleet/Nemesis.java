package dev.quire.bench.fleet;

/** A way to disturb a fleet while it serves. */
enum Nemesis {
    /** The store is stopped: connections stay, and nothing is answered. */
    STORE_STOPPED(true, false),
    /** The store is killed, and starts again empty. */
    STORE_KILLED(true, false),
    /** One command of the store takes seconds. */
    STORE_SLOW(true, false),
    /** The store loses its log of invalidations, and nothing else. */
    LOG_LOST(true, false),
    /** Bytes of records are changed. */
    VALUES_DAMAGED(true, false),
    /** Keys get the values of other keys. */
    VALUES_SWAPPED(true, false),
    /** A proxy is killed and started again. */
    NODE_KILLED(false, false),
    /** Half a second passes between a node and the store, each way. */
    LATENCY(false, true),
    /** A node and the store get each other's bytes in small pieces. */
    SLICED(false, true),
    /** Connections between a node and the store are reset. */
    RESET(false, true),
    /** A node and the store get nothing from each other. */
    CUT_OFF(false, true),
    /** A node that gets nothing from the store is killed, and starts again before or after that. */
    NODE_KILLED_APART(false, true);

    private final boolean isOfStore;
    private final boolean isOfNetwork;

    Nemesis(boolean isOfStore, boolean isOfNetwork) {
        this.isOfStore = isOfStore;
        this.isOfNetwork = isOfNetwork;
    }

    /** Whether it meets the store, else one node. */
    boolean isOfStore() {
        return isOfStore;
    }

    /** Whether it needs {@link Toxiproxy}. */
    boolean isOfNetwork() {
        return isOfNetwork;
    }
}
