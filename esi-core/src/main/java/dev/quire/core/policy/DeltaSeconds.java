package dev.quire.core.policy;

import dev.quire.core.http.FieldSyntax;

/** Times in fields: a number of seconds, digits only (RFC 9111 §1.2.2). */
final class DeltaSeconds {

    /** The largest value; a larger number counts as this. */
    static final long MAX = 1L << 31;

    private DeltaSeconds() {}

    /** Returns the seconds in {@code text}, at most {@link #MAX}, or -1 if it is malformed. */
    static long parse(String text) {
        return FieldSyntax.number(text, MAX);
    }
}
