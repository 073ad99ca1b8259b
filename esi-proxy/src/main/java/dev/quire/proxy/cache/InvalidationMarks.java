package dev.quire.proxy.cache;

import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * The newest bans and group invalidations against which a stored response was tested. Shared by
 * copies of a response that differ only in freshness. Thread-safe.
 */
class InvalidationMarks {
    private static final AtomicLongFieldUpdater<InvalidationMarks> BANS_TESTED =
            AtomicLongFieldUpdater.newUpdater(InvalidationMarks.class, "bansTested");

    /** Less than the number of any ban, which ends the search. */
    private static final long HIDDEN = -1;

    private volatile long bansTested;

    private InvalidationMarks() {}

    /** For a response in a group; most are in none and need no number. */
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

    static InvalidationMarks of(boolean isInGroup) {
        return isInGroup ? new OfGroups() : new InvalidationMarks();
    }

    /** The newest ban up to which none hides it; negative once a ban hides it. */
    long bansTested() {
        return bansTested;
    }

    boolean isBanned() {
        return bansTested == HIDDEN;
    }

    /** Records that no ban up to {@code ban} hides it. Returns false if one already does. */
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

    /** Hides it permanently. Returns true for the first call. */
    boolean ban() {
        return BANS_TESTED.getAndSet(this, HIDDEN) != HIDDEN;
    }

    /** The newest group invalidation up to which none hides it. */
    long groupsTested() {
        return 0;
    }

    /** Records that no group invalidation up to {@code number} hides it. */
    void groupsTested(long number) {}

    /** The bytes that the store counts for it. */
    long weightBytes() {
        return Footprint.MARK_BYTES;
    }
}
