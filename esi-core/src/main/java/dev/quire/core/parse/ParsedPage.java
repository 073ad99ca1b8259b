package dev.quire.core.parse;

import java.util.ArrayList;
import java.util.List;

/**
 * A whole document as nodes.
 *
 * @param nodes in document order; neighbouring text that was neighbouring in the document is one
 *     node
 * @param diagnostics in document order, at most {@link #MAX_DIAGNOSTICS} of them
 * @param errors how many diagnostics there were, those beyond the list included
 */
public record ParsedPage(List<EsiNode> nodes, List<Diagnostic> diagnostics, int errors) {

    /** How many diagnostics a page keeps; the rest are only counted. */
    public static final int MAX_DIAGNOSTICS = 100;

    public ParsedPage {
        nodes = List.copyOf(nodes);
        diagnostics = List.copyOf(diagnostics);
    }

    /** How many bytes of the document are text; they fit an {@code int}, as the document does. */
    public int textBytes() {
        int sum = 0;
        for (var node : nodes) {
            if (node instanceof EsiNode.Text text) {
                sum += text.span().length();
            }
        }
        return sum;
    }

    /**
     * The page as nodes of another document: of this one's text alone, its spans one behind the
     * other. There, text that no include parts is one node, whatever tags stood in between.
     * Positions remain those of the document as it was parsed.
     */
    public ParsedPage ofTextAlone() {
        var packed = new ArrayList<EsiNode>();
        int start = 0;
        int end = 0;
        for (var node : nodes) {
            switch (node) {
                case EsiNode.Text text -> end += text.span().length();
                default -> {
                    addText(packed, start, end);
                    packed.add(node);
                    start = end;
                }
            }
        }
        addText(packed, start, end);
        return new ParsedPage(packed, diagnostics, errors);
    }

    private static void addText(List<EsiNode> packed, int start, int end) {
        if (end > start) {
            packed.add(new EsiNode.Text(new Span(start, end)));
        }
    }
}
