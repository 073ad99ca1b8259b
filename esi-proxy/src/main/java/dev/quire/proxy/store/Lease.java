package dev.quire.proxy.store;

/** The results of asking for a lease, if there is no record. */
public enum Lease {
    GRANTED(1),
    TAKEN(2),
    /** A fetch has failed just now. */
    FAILED(3),
    UNCACHEABLE(4);

    private final long number;

    /**
     * @param number as the script in the store returns it
     */
    Lease(long number) {
        this.number = number;
    }

    /** As the script in the store returns it. */
    public long number() {
        return number;
    }
}
