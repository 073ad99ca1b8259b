package dev.quire.core.policy;

import dev.quire.core.http.FieldSyntax;

/** Times as fields carry them: a number of seconds, digits only (RFC 9111 §1.2.2). */
final class DeltaSeconds {

    /** The longest time there is; anything above counts as this. */
    static final long MAX = 1L << 31;

    private DeltaSeconds() {}

    /** The seconds {@code text} names, at most {@link #MAX}, or -1 when it is no such number. */
    static long parse(String text) {
        return FieldSyntax.number(text, MAX);
    }
}
