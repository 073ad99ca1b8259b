package dev.quire.bench.fleet;

/** The promises that {@link History} checks. */
public enum Promise {
    /**
     * After the answer to a purge with {@code ack: fleet}, all nodes that it does not name obey.
     */
    FLEET("C1"),
    /** After the answer to any purge, the node that was asked obeys. */
    OWN("C2"),
    /** After five seconds without a disturbance, all nodes obey each purge. */
    HEALED("C3"),
    /** A node that was killed and started again still obeys what it had to obey before. */
    RESTARTED("C4"),
    /** A body is one that the origin has made for this URL. */
    BODY("C5"),
    /** The age fits the time in which the version was the newest. */
    AGE("C6"),
    /**
     * The node that must obey a soft purge serves what it covers only as stale, and only within its
     * grace.
     */
    SOFT("C7"),
    /**
     * With {@code partition: revalidate} no node is stale for longer than the lease after a purge
     * is in the log, unless the log has lost entries.
     */
    LEASE("C8"),
    /**
     * Without a store, a process that has sent a version to a request sends no older one to a later
     * request for the same variant, except after the end of a ban.
     */
    ORDER("C9");

    private final String mark;

    Promise(String mark) {
        this.mark = mark;
    }

    @Override
    public String toString() {
        return mark;
    }
}
