package dev.quire.proxy.config;

import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** The kinds of the nodes of a file. */
final class YamlNodes {
    private YamlNodes() {}

    static boolean isNull(Node node) {
        return node.getTag().equals(Tag.NULL);
    }

    /** Whether it is null, an empty text, or a mapping without keys. */
    static boolean isEmpty(Node node, Expansion expansion) {
        return switch (node) {
            case MappingNode mapping -> mapping.getValue().isEmpty();
            case ScalarNode scalar ->
                    isNull(scalar)
                            || expansion.expand(scalar.getValue()).equals(new Expansion.Text(""));
            default -> false;
        };
    }

    /** The kind of node, for messages. */
    static String kind(Node node) {
        return switch (node) {
            case MappingNode mapping -> "a mapping";
            case SequenceNode list -> "a list";
            default -> isNull(node) ? "empty" : "a single value";
        };
    }
}
