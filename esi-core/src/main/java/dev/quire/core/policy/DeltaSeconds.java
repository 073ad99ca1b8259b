package dev.quire.core.policy;

/** Times as fields carry them: a number of seconds, digits only (RFC 9111 §1.2.2). */
final class DeltaSeconds {

    /** The longest time there is; anything above counts as this. */
    static final long MAX = 1L << 31;

    private DeltaSeconds() {}

    /** The seconds {@code text} names, at most {@link #MAX}, or -1 when it is no such number. */
    static long parse(String text) {
        if (text.isEmpty()) {
            return -1;
        }
        long seconds = 0;
        for (int i = 0; i < text.length(); i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            seconds = Math.min(MAX, seconds * 10 + digit);
        }
        return seconds;
    }
}
