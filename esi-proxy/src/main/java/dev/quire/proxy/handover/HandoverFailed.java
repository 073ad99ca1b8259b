package dev.quire.proxy.handover;

/** Thrown if the sockets of the running process are not available to this one. */
public final class HandoverFailed extends Exception {
    private final String expected;

    HandoverFailed(String what, String expected) {
        super(what);
        this.expected = expected;
    }

    public String what() {
        return String.valueOf(getMessage());
    }

    public String expected() {
        return expected;
    }
}
