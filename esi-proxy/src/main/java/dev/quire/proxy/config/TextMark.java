package dev.quire.proxy.config;

import java.util.Optional;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Finds the position of a character of a scalar in its file. */
final class TextMark {
    private TextMark() {}

    /**
     * Returns the position of the character {@code index} of {@code text}. It is the start of the
     * scalar if the file has the text in another form: on several lines, with an escape other than
     * that of a quotation mark or a backslash, or with an environment variable.
     */
    static Optional<Mark> of(Node node, String text, int index) {
        var start = node.getStartMark();
        var end = node.getEndMark();
        if (!(node instanceof ScalarNode scalar)
                || start.isEmpty()
                || end.isEmpty()
                || !scalar.getValue().equals(text)
                || start.get().getLine() != end.get().getLine()) {
            return start;
        }
        var escaped = escaped(scalar.getScalarStyle());
        int quote = scalar.getScalarStyle() == ScalarStyle.PLAIN ? 0 : 1;
        int length = end.get().getColumn() - start.get().getColumn();
        if (length != text.length() + escapes(text, text.length(), escaped) + 2 * quote) {
            return start;
        }
        int at = Math.min(index, text.length());
        int column = start.get().getColumn() + quote + at + escapes(text, at, escaped);
        return Optional.of(
                new Mark(
                        start.get().getName(),
                        start.get().getIndex(),
                        start.get().getLine(),
                        column,
                        new int[0],
                        0));
    }

    /** The characters that have another one before them in the file. */
    private static String escaped(ScalarStyle style) {
        return switch (style) {
            case SINGLE_QUOTED -> "'";
            case DOUBLE_QUOTED -> "\"\\";
            default -> "";
        };
    }

    private static int escapes(String text, int end, String escaped) {
        return (int) text.chars().limit(end).filter(c -> escaped.indexOf(c) >= 0).count();
    }
}
