package dev.quire.core.assemble;

/**
 * The limits of one page.
 *
 * @param maxDepth levels of includes below the page
 * @param maxIncludes fragments at all levels, including refused ones; also the limit for requests,
 *     including alternatives
 * @param maxInFlight concurrent fetches
 * @param maxHeldBytes the size of an attempt, or of a page that is held until complete
 */
public record Limits(int maxDepth, int maxIncludes, int maxInFlight, long maxHeldBytes) {

    /** 10 levels, 256 fragments, 32 at one time, 16 MiB held. */
    public static final Limits DEFAULT = new Limits(10, 256, 32);

    private static final long MAX_HELD_BYTES = 16 * 1024 * 1024;

    public Limits {
        if (maxDepth < 0 || maxIncludes < 0 || maxInFlight < 1 || maxHeldBytes < 1) {
            throw new IllegalArgumentException(
                    "limits must not be negative; in-flight and held bytes must be at least 1");
        }
    }

    /** Creates limits with 16 MiB held. */
    public Limits(int maxDepth, int maxIncludes, int maxInFlight) {
        this(maxDepth, maxIncludes, maxInFlight, MAX_HELD_BYTES);
    }

    /** Returns the failure of a fragment beyond {@code maxIncludes}. */
    Failure tooManyIncludes() {
        return new Failure(
                Failure.Side.ORIGIN, Failure.Kind.BUDGET, "more than " + maxIncludes + " includes");
    }

    /** Returns the failure of an attempt or a held document beyond {@code maxHeldBytes}. */
    Failure tooLarge() {
        return new Failure(
                Failure.Side.ORIGIN,
                Failure.Kind.TOO_LARGE,
                "more than " + maxHeldBytes + " bytes held in memory");
    }
}
