package dev.quire.test.memory;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;

/**
 * An answer of the surrogate's own: says what went wrong in a sentence.
 *
 * @param status 4xx or 5xx
 * @param text one line
 */
record ErrorPage(int status, String text) {
    /** What is stored must be validated, and nobody is there to do it (RFC 9111 §5.2.2.2). */
    static final ErrorPage NOT_VALIDATED =
            new ErrorPage(504, "The server behind this one could not be asked.");

    private static final ErrorPage FAILED = new ErrorPage(500, "This server failed.");
    private static final ErrorPage LATE =
            new ErrorPage(504, "The server behind this one did not answer in time.");
    private static final ErrorPage UNUSABLE =
            new ErrorPage(502, "The server behind this one gave no usable answer.");

    /** What is said of a page that is not answered because of a fragment's {@code failure}. */
    static ErrorPage ofPage(Failure failure) {
        return failure.kind() == Kind.TIMEOUT
                ? of(failure)
                : new ErrorPage(502, "A part of the page that it needs could not be had.");
    }

    /** What is said of {@code failure}. */
    static ErrorPage of(Failure failure) {
        if (failure.side() == Side.CLIENT) {
            return failure.kind() == Kind.UNREACHABLE
                    ? new ErrorPage(
                            504, "Nothing stored answers this, and nothing else was wanted.")
                    : new ErrorPage(400, "The request broke off or was not well formed.");
        }
        boolean isOrigins = failure.side() == Side.ORIGIN;
        return switch (failure.kind()) {
            case TIMEOUT -> isOrigins ? LATE : new ErrorPage(504, "The page took too long.");
            case CIRCUIT_OPEN, UNREACHABLE, TRUNCATED, MALFORMED, STATUS, TOO_LARGE -> UNUSABLE;
            case DENIED, LOOP, DEPTH, BUDGET, OVERLOAD, CANCELLED, BUG ->
                    isOrigins ? UNUSABLE : FAILED;
        };
    }
}
