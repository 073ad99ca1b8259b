package dev.quire.proxy.cache;

import org.jspecify.annotations.Nullable;

/** The places of shared records in our own sequence of invalidations. Thread-safe; never blocks. */
public interface SharedPositions extends RecordCodec.Orders {

    /** Whether all invalidations of the other proxies are known: otherwise no record is used. */
    boolean isKnown();

    /** The position of a response that was tested up to our entry {@code order}, if it has one. */
    @Nullable RecordPosition position(long order);

    /** How far the clock of the store is ahead of {@code Time.steadyWall}, in milliseconds. */
    long aheadMillis();
}
