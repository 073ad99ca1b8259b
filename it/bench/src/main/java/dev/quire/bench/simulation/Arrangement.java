package dev.quire.bench.simulation;

/** Which parts the nodes of a fleet share. */
enum Arrangement {
    NONE("each for itself", false, false, false),
    LOG("log", false, false, true),
    SHARED("store, log", true, false, true),
    LEASE("store, lease", true, true, false),
    ALL("store, lease, log", true, true, true);

    private final String title;
    private final boolean hasStore;
    private final boolean hasLease;
    private final boolean hasLog;

    Arrangement(String title, boolean hasStore, boolean hasLease, boolean hasLog) {
        this.title = title;
        this.hasStore = hasStore;
        this.hasLease = hasLease;
        this.hasLog = hasLog;
    }

    String title() {
        return title;
    }

    /** Whether responses are in a shared store. */
    boolean hasStore() {
        return hasStore;
    }

    /** Whether one node fetches for the others. The product always does that with a store. */
    boolean hasLease() {
        return hasLease;
    }

    /** Whether a purge of one node holds in the others. The product always does that too. */
    boolean hasLog() {
        return hasLog;
    }
}
