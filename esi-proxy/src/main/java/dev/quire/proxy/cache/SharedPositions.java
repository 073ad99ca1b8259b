package dev.quire.proxy.cache;

import org.jspecify.annotations.Nullable;

/** The places of shared records in our own sequence of invalidations. Thread-safe; never blocks. */
public interface SharedPositions extends RecordCodec.Orders {

    /** Whether all invalidations of the other proxies are known: otherwise no record is used. */
    boolean isKnown();

    /**
     * The position of a response, if it has one.
     *
     * @param tested our entry up to which it was tested
     * @param begun our newest entry when its fetch began
     */
    @Nullable RecordPosition position(long tested, long begun);

    /** How far the clock of the store is ahead of {@code Time.steadyWall}, in milliseconds. */
    long aheadMillis();
}
