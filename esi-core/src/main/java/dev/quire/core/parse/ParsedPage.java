package dev.quire.core.parse;

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
}
