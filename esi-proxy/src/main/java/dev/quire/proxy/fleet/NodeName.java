package dev.quire.proxy.fleet;

import java.security.SecureRandom;
import java.util.HexFormat;

/** The name of a node with its incarnation: {@code name#hex}. */
public final class NodeName {
    private static final char SEPARATOR = '#';

    private NodeName() {}

    /** Returns {@code name} with a random incarnation. */
    public static String incarnate(String name) {
        return name + SEPARATOR + HexFormat.of().toHexDigits(new SecureRandom().nextLong());
    }

    /** The incarnation of {@code node}; empty if it has none. */
    public static String incarnationOf(String node) {
        int start = node.lastIndexOf(SEPARATOR);
        return start < 0 ? "" : node.substring(start + 1);
    }

    /** The name of {@code node} without its incarnation. */
    public static String of(String node) {
        int end = node.lastIndexOf(SEPARATOR);
        return end < 0 ? node : node.substring(0, end);
    }
}
