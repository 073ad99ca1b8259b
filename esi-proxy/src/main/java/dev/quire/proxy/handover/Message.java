package dev.quire.proxy.handover;

import java.util.Locale;

/**
 * The messages of a handover, a line each. The running process announces its addresses, then an
 * empty line; on {@code SEND} it sends the descriptors, on {@code READY} it closes its own. Only
 * then the new process accepts, so a purge never reaches the wrong one of two caches in use.
 */
enum Message {
    /** Of the new process: it expects descriptors, and no lines, from now on. */
    SEND,
    /** Of the new process: nothing can fail any more. */
    READY,
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
