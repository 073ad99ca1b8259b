package dev.quire.core.assemble;

/**
 * What one page may ask for.
 *
 * @param maxDepth levels of includes below the page
 * @param maxIncludes fragments of all levels together, those that are refused among them; no more
 *     are asked for either, alternatives among them
 * @param maxInFlight fetches at one time
 */
public record Limits(int maxDepth, int maxIncludes, int maxInFlight) {

    /** 10 levels, 256 fragments, 32 at one time. */
    public static final Limits DEFAULT = new Limits(10, 256, 32);

    public Limits {
        if (maxDepth < 0 || maxIncludes < 0 || maxInFlight < 1) {
            throw new IllegalArgumentException("limits must not be negative, in flight at least 1");
        }
    }
}
