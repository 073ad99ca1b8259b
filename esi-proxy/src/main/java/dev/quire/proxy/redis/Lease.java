package dev.quire.proxy.redis;

/** The results of asking for a lease, if there is no record. */
public enum Lease {
    GRANTED(1),
    TAKEN(2),
    /** A fetch has failed just now. */
    FAILED(3),
    UNCACHEABLE(4);

    private final long number;

    /**
     * @param number as the script returns it
     */
    Lease(long number) {
        this.number = number;
    }

    long number() {
        return number;
    }
}
