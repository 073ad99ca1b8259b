package dev.quire.proxy.fleet;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The event that the answer to an invalidation waits for. */
public enum Ack {
    /** This node. */
    LOCAL,
    /** The log. */
    LOG,
    /** All nodes that are alive. */
    FLEET;

    /** The names of all, for messages. */
    public static final String NAMES = "local, log or fleet";

    /** Returns the one with {@code name}, in lower case. */
    public static Optional<Ack> named(String name) {
        return Arrays.stream(values()).filter(each -> each.text().equals(name)).findFirst();
    }

    /** The name, in lower case. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
