package dev.quire.proxy.config;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** A text of a tree that differs from those of other trees, whatever their notation. */
final class NodeText {
    private final Expansion expansion;
    private final StringBuilder text = new StringBuilder();

    private NodeText(Expansion expansion) {
        this.expansion = expansion;
    }

    /** Returns the texts of the members of a list, with the values of environment variables. */
    static List<String> ofMembers(@Nullable Node node, Expansion expansion) {
        return node instanceof SequenceNode list
                ? list.getValue().stream().map(member -> of(member, expansion)).toList()
                : List.of();
    }

    private static String of(Node node, Expansion expansion) {
        var writer = new NodeText(expansion);
        writer.write(node);
        return writer.text.toString();
    }

    private void write(Node node) {
        switch (node) {
            case MappingNode mapping -> {
                text.append('{');
                for (var member : mapping.getValue()) {
                    write(member.getKeyNode());
                    write(member.getValueNode());
                }
                text.append('}');
            }
            case SequenceNode list -> {
                text.append('[');
                list.getValue().forEach(this::write);
                text.append(']');
            }
            case ScalarNode scalar -> {
                var value = expansion.expand(scalar.getValue()).toString();
                text.append(value.length()).append(':').append(value);
            }
            default -> text.append('?');
        }
    }
}
