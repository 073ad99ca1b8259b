package dev.quire.proxy.admin;

/** Thrown if an admin API request is invalid. */
final class InvalidRequest extends IllegalArgumentException {

    /**
     * @param what the problem and its place
     * @param expected completes "expected …"
     */
    InvalidRequest(String what, String expected) {
        super(what + " (expected " + expected + ")");
    }
}
