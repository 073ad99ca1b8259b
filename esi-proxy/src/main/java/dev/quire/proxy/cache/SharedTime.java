package dev.quire.proxy.cache;

import dev.quire.proxy.exchange.Time;
import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * The clocks for records in a shared store: the time of day is that of the store.
 *
 * @param aheadMillis how far that is ahead of ours
 */
record SharedTime(Time own, LongSupplier aheadMillis) implements Time {

    @Override
    public Instant now() {
        return own.now();
    }

    @Override
    public long ticks() {
        return own.ticks();
    }

    @Override
    public Instant wall() {
        return own.wall();
    }

    @Override
    public Instant originWall() {
        return own.originWall();
    }

    @Override
    public Instant steadyWall() {
        return own.wall().plusMillis(aheadMillis.getAsLong());
    }
}
