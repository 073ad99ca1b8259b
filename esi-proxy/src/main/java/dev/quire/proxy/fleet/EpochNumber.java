package dev.quire.proxy.fleet;

import java.security.SecureRandom;

/**
 * The number of an epoch: 32 bits that all epochs of a log have, 16 bits that count them, and 16
 * random bits, since two servers may go on with the same log. Never 0.
 */
final class EpochNumber {
    private static final int LOG_AT = 32;
    private static final int COUNT_AT = 16;
    private static final long MASK = (1 << 16) - 1;

    private EpochNumber() {}

    /**
     * Returns the number of an epoch after {@code former}.
     *
     * @param former 0 for none: then it is that of another log
     */
    static long after(long former) {
        long random = new SecureRandom().nextLong();
        if (former == 0) {
            return random == 0 ? 1 : random;
        }
        long log = former >>> LOG_AT;
        long count = ((former >>> COUNT_AT) + 1) & MASK;
        return (log << LOG_AT) | (count << COUNT_AT) | Math.max(1, random & MASK);
    }

    /** Whether both are epochs of one log. */
    static boolean areOfOneLog(long epoch, long other) {
        return (epoch >>> LOG_AT) == (other >>> LOG_AT);
    }

    /** Whether {@code epoch} began before {@code present}, in one log. */
    static boolean isBefore(long epoch, long present) {
        return areOfOneLog(epoch, present) && distance(epoch, present) > 0;
    }

    /**
     * Whether a node of {@code former}, 0 for none, may go on in {@code next}: that began later, or
     * is of another log. Of two epochs that began at once, on two servers, neither follows.
     */
    static boolean canFollow(long former, long next) {
        return former == 0 || !areOfOneLog(former, next) || isBefore(former, next);
    }

    /**
     * Whether neither is known to have begun before the other, as those of two logs: a node of one
     * has not read the log of the other.
     */
    static boolean areUnordered(long epoch, long other) {
        return epoch != other && !isBefore(epoch, other) && !isBefore(other, epoch);
    }

    /** Whether {@code later} is of the same log as {@code epoch}, but is not the next one. */
    static boolean areApart(long epoch, long later) {
        return areOfOneLog(epoch, later) && distance(epoch, later) != 1;
    }

    private static int distance(long epoch, long later) {
        return (short) ((later >>> COUNT_AT) - (epoch >>> COUNT_AT));
    }
}
