package dev.quire.bench;

/** Something the caller can put right: the message says what, and what was expected. */
public final class CannotMeasure extends Exception {
    private static final int MISUSED = 2;

    public CannotMeasure(String message) {
        super(message);
    }

    /** Says it on the standard error, and with which status the command has to end. */
    public int report() {
        System.err.println("bin/bench: " + getMessage());
        return MISUSED;
    }
}
