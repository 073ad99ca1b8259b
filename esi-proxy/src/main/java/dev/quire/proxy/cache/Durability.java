package dev.quire.proxy.cache;

/** Whether invalidations outlive the process and a failure of power. */
public enum Durability {
    DURABLE,
    /**
     * They could not be stored in time. The log takes no more entries, and what is stored outside
     * the process must not be used by any later one.
     */
    NOT_DURABLE
}
