package dev.quire.bench;

/** An error the user can fix. The message names the problem and what was expected. */
public final class CannotMeasure extends Exception {
    private static final int MISUSED = 2;

    public CannotMeasure(String message) {
        super(message);
    }

    /** Prints the message to the standard error and returns the exit status. */
    public int report() {
        return report("bin/bench");
    }

    public int report(String command) {
        System.err.println(command + ": " + getMessage());
        return MISUSED;
    }
}
