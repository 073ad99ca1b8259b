package dev.quire.core.assemble;

/** Bytes that are not the plan of a page, or not one that can be used: the page is to be parsed. */
public final class UnreadablePlanException extends Exception {

    private static final long serialVersionUID = 1L;

    UnreadablePlanException(String what) {
        super(what);
    }

    UnreadablePlanException(String what, Throwable cause) {
        super(what, cause);
    }
}
