package dev.quire.core.expression;

/**
 * The budget for compiling a page's patterns while it is parsed: a short pattern can be a large
 * program, and a page can have very many. Patterns beyond it are compiled during evaluation, within
 * the budget of a request. Confined to one thread.
 */
public final class PatternAllowance {

    /** Instructions, approximately: some milliseconds to compile, a few MiB of memory. */
    private static final long MAX_SIZE = 100_000;

    private long left = MAX_SIZE;

    /**
     * Takes {@code size} instructions off the budget; false, and nothing taken, if it is too small.
     */
    boolean take(long size) {
        if (size > left) {
            return false;
        }
        left -= size;
        return true;
    }
}
