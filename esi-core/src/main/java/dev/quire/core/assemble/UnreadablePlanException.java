package dev.quire.core.assemble;

/** Thrown if bytes are not a usable plan of a page: the page must be parsed instead. */
public final class UnreadablePlanException extends Exception {

    private static final long serialVersionUID = 1L;

    UnreadablePlanException(String what) {
        super(what);
    }

    UnreadablePlanException(String what, Throwable cause) {
        super(what, cause);
    }
}
