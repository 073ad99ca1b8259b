package dev.quire.proxy.redis;

import dev.quire.proxy.exchange.PlainWords;

/** The fault of a server or a socket, which Lettuce wraps. */
final class RootCause {

    private RootCause() {}

    /** Returns the deepest cause, or that of the first of several faults. */
    static Throwable of(Throwable fault) {
        var deepest = fault;
        while (true) {
            if (deepest.getCause() != null) {
                deepest = deepest.getCause();
            } else if (deepest.getSuppressed().length > 0) {
                deepest = deepest.getSuppressed()[0];
            } else {
                return deepest;
            }
        }
    }

    static String text(Throwable fault) {
        return PlainWords.of(of(fault));
    }
}
