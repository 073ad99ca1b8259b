package dev.quire.proxy.handover;

import java.util.Locale;

/**
 * The messages of a handover, a line each. The running process announces its addresses, then an
 * empty line; on {@code SEND} it sends the descriptors, on {@code READY} it closes its own. Only
 * then the new process accepts, so no new connection reaches the wrong one of two caches in use. A
 * new process that knows {@code PASS} does not close the connection then. From {@code PASS} on the
 * running process sends frames, 4 bytes of length and a message, and gets a line for each.
 */
enum Message {
    /** Of the new process: it expects descriptors, and no lines, from now on. */
    SEND,
    /** Of the new process: nothing can fail any more. */
    READY,
    /** Of the new process: it expects frames, and no lines, from now on. */
    PASS,
    /** Of the new process: the next message has its effect, and no restart undoes it. */
    CONFIRMED,
    /** Of the new process: the next message may have no effect after a restart, or has none. */
    UNCONFIRMED,
    /** Of the running process: it accepts no more connections. */
    CLOSED,
    /** Of the running process: it continues to accept connections. */
    EXPIRED;

    String line() {
        return name().toLowerCase(Locale.ROOT) + "\n";
    }

    boolean is(String text) {
        return text.equals(name().toLowerCase(Locale.ROOT));
    }
}
