package dev.quire.core.assemble;

/**
 * What one page may ask for.
 *
 * @param maxDepth levels of includes below the page
 * @param maxIncludes fragments of all levels together, those that are refused among them; no more
 *     are asked for either, alternatives among them
 * @param maxInFlight fetches at one time
 * @param maxHeldBytes what an attempt, or a page that is held whole, may come to
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

    /** As they are, with 16 MiB held. */
    public Limits(int maxDepth, int maxIncludes, int maxInFlight) {
        this(maxDepth, maxIncludes, maxInFlight, MAX_HELD_BYTES);
    }

    /** What a fragment beyond {@code maxIncludes} fails with. */
    Failure tooManyIncludes() {
        return new Failure(
                Failure.Side.ORIGIN,
                Failure.Kind.BUDGET,
                "more than " + maxIncludes + " includes");
    }

    /** What an attempt, or a document that is held, beyond {@code maxHeldBytes} fails with. */
    Failure tooLarge() {
        return new Failure(
                Failure.Side.ORIGIN,
                Failure.Kind.TOO_LARGE,
                "more than " + maxHeldBytes + " bytes held in memory");
    }
}
