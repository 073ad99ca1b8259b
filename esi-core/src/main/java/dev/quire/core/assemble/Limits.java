package dev.quire.core.assemble;

/**
 * The limits of one page.
 *
 * @param maxDepth levels of includes below the page
 * @param maxIncludes fragments at all levels, including refused ones; also the limit for requests,
 *     including alternatives
 * @param maxInFlight concurrent fetches
 * @param maxBufferedBytes the size of an attempt, or of a page that is buffered until complete
 */
public record Limits(int maxDepth, int maxIncludes, int maxInFlight, long maxBufferedBytes) {

    /** 10 levels, 256 fragments, 32 at one time, 16 MiB buffered. */
    public static final Limits DEFAULT = new Limits(10, 256, 32);

    private static final long MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

    public Limits {
        if (maxDepth < 0 || maxIncludes < 0 || maxInFlight < 1 || maxBufferedBytes < 1) {
            throw new IllegalArgumentException(
                    "limits must not be negative; in-flight and buffered bytes must be at least 1");
        }
    }

    /** Creates limits with 16 MiB buffered. */
    public Limits(int maxDepth, int maxIncludes, int maxInFlight) {
        this(maxDepth, maxIncludes, maxInFlight, MAX_BUFFERED_BYTES);
    }

    /** Returns the failure of a fragment beyond {@code maxIncludes}. */
    Failure tooManyIncludes() {
        return new Failure(
                Failure.Side.ORIGIN, Failure.Kind.BUDGET, "more than " + maxIncludes + " includes");
    }

    /** Returns the failure of an attempt or a buffered document beyond {@code maxBufferedBytes}. */
    Failure tooLarge() {
        return new Failure(
                Failure.Side.ORIGIN,
                Failure.Kind.TOO_LARGE,
                "more than " + maxBufferedBytes + " bytes buffered");
    }
}
