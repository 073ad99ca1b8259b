package dev.quire.proxy.disk;

/** Whether invalidations outlive the process and a failure of power. */
public enum Durability {
    DURABLE,
    /**
     * They could not be stored in time. The journal takes no more entries, and what is stored on
     * disk must not be used by any later process.
     */
    NOT_DURABLE
}
