package dev.quire.proxy.cache;

import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * How far a stored response has been tested against the bans. Copies of a response that differ in
 * their clocks alone share it. Safe for all threads.
 */
final class BanMark {
    private static final AtomicLongFieldUpdater<BanMark> TESTED =
            AtomicLongFieldUpdater.newUpdater(BanMark.class, "tested");

    /** Less than the number of any ban, so that looking stops here. */
    private static final long HIDDEN = -1;

    private volatile long tested;

    /** The newest ban that does not hide it, nor any before it; negative once one hides it. */
    long tested() {
        return tested;
    }

    boolean isHidden() {
        return tested == HIDDEN;
    }

    /** No ban up to {@code ban} hides it; false if one does all the same. */
    boolean passed(long ban) {
        long seen = tested;
        while (seen != HIDDEN && seen < ban) {
            if (TESTED.compareAndSet(this, seen, ban)) {
                return true;
            }
            seen = tested;
        }
        return seen != HIDDEN;
    }

    /** A ban hides it, for good; true for the first to say so. */
    boolean hide() {
        return TESTED.getAndSet(this, HIDDEN) != HIDDEN;
    }
}
