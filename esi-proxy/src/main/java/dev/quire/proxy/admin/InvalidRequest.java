package dev.quire.proxy.admin;

/** A request to the admin port that cannot be meant. */
final class InvalidRequest extends IllegalArgumentException {

    /**
     * @param what is wrong, and where
     * @param expected completes "expected …"
     */
    InvalidRequest(String what, String expected) {
        super(what + " (expected " + expected + ")");
    }
}
