package dev.quire.proxy.cache;

/** Receives the entries of {@link Invalidations}, to store them outside the process. */
public interface InvalidationLog {

    /** Adds an entry. Called in the order of the numbers, while a lock is held: must not wait. */
    void append(long number, InvalidationEntry entry);
}
