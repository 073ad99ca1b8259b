package dev.quire.proxy.cache;

/** Whether invalidations outlive the process and a failure of power. */
public enum Durability {
    DURABLE,
    /** They are not yet, or will not be: a restart may undo them. */
    NOT_DURABLE
}
