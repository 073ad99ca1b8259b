package dev.quire.core.expression;

/**
 * How large the patterns may be, all together, that are compiled when a page is read: a short one
 * can be a large program, and a page can hold very many. Those beyond are compiled when they are
 * evaluated, within what a request may spend. Confined to one thread.
 */
public final class PatternAllowance {

    /** Instructions, roughly; some milliseconds to compile, a few MiB to keep. */
    private static final long MAX_SIZE = 100_000;

    private long left = MAX_SIZE;

    /** Whether a pattern of so many instructions is within it, which takes it off. */
    boolean take(long size) {
        if (size > left) {
            return false;
        }
        left -= size;
        return true;
    }
}
