package dev.quire.proxy.fleet;

import static java.util.stream.Collectors.joining;

import dev.quire.proxy.cache.RecordHash;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The program and the configuration of a node.
 *
 * @param version of the program
 * @param configuration a hash of the settings that decide which responses it stores and finds
 * @param origins {@link #text(Map)}; empty if the node does not tell
 */
public record NodeBuild(String version, String configuration, String origins) {
    public static final NodeBuild UNKNOWN = new NodeBuild("unknown", "unknown", "");

    /** A node registers it each second. */
    static final int MAX_ORIGINS = 1_000;

    /** Reads {@link #text()}; empty for a node that registers none. */
    static Optional<NodeBuild> of(String text) {
        var lines = text.split("\n", 2);
        int end = lines[0].lastIndexOf(' ');
        return end < 1
                ? Optional.empty()
                : Optional.of(
                        new NodeBuild(
                                lines[0].substring(0, end),
                                lines[0].substring(end + 1),
                                lines.length < 2 ? "" : lines[1]));
    }

    /**
     * Returns the names of origins with their URLs, in alphabetical order; a hash in place of the
     * end if that is too long.
     */
    public static String text(Map<String, List<String>> origins) {
        var text =
                new TreeMap<>(origins)
                        .entrySet().stream()
                                .map(origin ->
                                        origin.getKey()
                                                + "="
                                                + origin.getValue().stream()
                                                        .sorted()
                                                        .collect(joining(",")))
                                .collect(joining(";"));
        return text.length() <= MAX_ORIGINS
                ? text
                : text.substring(0, MAX_ORIGINS)
                        + "...%016x".formatted(RecordHash.of(List.of(text)).high());
    }

    /** Whether it stores responses as {@code other} does, which may have other origins. */
    boolean storesAs(NodeBuild other) {
        return version.equals(other.version) && configuration.equals(other.configuration);
    }

    /** Whether {@code other} tells its origins, and they are others. */
    boolean hasOtherOrigins(NodeBuild other) {
        return !other.origins.isEmpty() && !other.origins.equals(origins);
    }

    /** In the form in which a node registers it. */
    public String text() {
        return version + " " + configuration + "\n" + origins;
    }
}
