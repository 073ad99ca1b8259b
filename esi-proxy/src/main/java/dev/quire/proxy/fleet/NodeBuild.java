package dev.quire.proxy.fleet;

import java.util.Optional;

/**
 * The program and the configuration of a node.
 *
 * @param version of the program
 * @param configuration a hash of the settings that decide which responses it stores and finds
 */
public record NodeBuild(String version, String configuration) {
    public static final NodeBuild UNKNOWN = new NodeBuild("unknown", "unknown");

    /** Reads {@link #text}; empty for a node that registers none. */
    static Optional<NodeBuild> of(String text) {
        int end = text.lastIndexOf(' ');
        return end < 1
                ? Optional.empty()
                : Optional.of(new NodeBuild(text.substring(0, end), text.substring(end + 1)));
    }

    /** In the form in which a node registers it. */
    public String text() {
        return version + " " + configuration;
    }
}
