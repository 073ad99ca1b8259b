package dev.quire.proxy.cache;

import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * How far a stored response has been tested against the bans, and against the invalidations of its
 * groups. Copies of a response that differ in their clocks alone share it. Safe for all threads.
 */
class InvalidationMarks {
    private static final AtomicLongFieldUpdater<InvalidationMarks> BANS_TESTED =
            AtomicLongFieldUpdater.newUpdater(InvalidationMarks.class, "bansTested");

    /** Less than the number of any ban, so that looking stops here. */
    private static final long HIDDEN = -1;

    private volatile long bansTested;

    private InvalidationMarks() {}

    /** Of a response that is in a group; most are in none, and do without the number. */
    private static final class OfGroups extends InvalidationMarks {
        private volatile long groupsTested;

        @Override
        long groupsTested() {
            return groupsTested;
        }

        @Override
        void groupsTested(long number) {
            groupsTested = number;
        }

        @Override
        long weightBytes() {
            return Footprint.MARK_BYTES + Long.BYTES;
        }
    }

    /**
     * @param isInGroup whether the response is in a group
     */
    static InvalidationMarks of(boolean isInGroup) {
        return isInGroup ? new OfGroups() : new InvalidationMarks();
    }

    /** The newest ban that does not hide it, nor any before it; negative once one hides it. */
    long bansTested() {
        return bansTested;
    }

    /** Whether a ban hides it. */
    boolean isBanned() {
        return bansTested == HIDDEN;
    }

    /** No ban up to {@code ban} hides it; false if one does all the same. */
    boolean passed(long ban) {
        long seen = bansTested;
        while (seen != HIDDEN && seen < ban) {
            if (BANS_TESTED.compareAndSet(this, seen, ban)) {
                return true;
            }
            seen = bansTested;
        }
        return seen != HIDDEN;
    }

    /** A ban hides it, for good; true for the first to say so. */
    boolean ban() {
        return BANS_TESTED.getAndSet(this, HIDDEN) != HIDDEN;
    }

    /** The newest invalidation of groups that does not hide it, nor any before it. */
    long groupsTested() {
        return 0;
    }

    /** No invalidation of groups up to {@code number} hides it. */
    void groupsTested(long number) {}

    /** What the store counts for it. */
    long weightBytes() {
        return Footprint.MARK_BYTES;
    }
}
