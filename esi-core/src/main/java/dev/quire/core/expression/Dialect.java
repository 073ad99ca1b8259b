package dev.quire.core.expression;

/** How a backslash in a processing context is read. */
public enum Dialect {
    /** {@code \$} is a dollar sign; every other backslash stays. */
    STANDARD,
    /** A backslash is removed; the byte after it is literal. */
    AKAMAI
}
