package dev.quire.core.parse;

import dev.quire.core.expression.Escape;
import dev.quire.core.parse.Block.Closing;
import dev.quire.core.parse.Block.Content;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** The stack of open blocks at the current position, the document at the bottom. */
final class BlockStack {

    /** The maximum nesting depth of blocks. */
    static final int MAX_DEPTH = 200;

    private final Diagnostics diagnostics;
    private final ArrayDeque<Block> blocks = new ArrayDeque<>();
    private final ElementCounts open = new ElementCounts();
    boolean isTooDeep;

    BlockStack(Diagnostics diagnostics) {
        this.diagnostics = diagnostics;
        blocks.push(Block.document());
    }

    Block top() {
        return blocks.element();
    }

    /** Returns the number of open blocks; 1 if only the document is open. */
    int depth() {
        return blocks.size();
    }

    /** Returns the number of open blocks and calls of each element. */
    ElementCounts open() {
        return open;
    }

    /**
     * Opens a block, and closes it at once if the tag is an empty element. Returns false if it is
     * nested too deeply.
     */
    boolean open(
            Element element,
            Tag tag,
            Position at,
            Content content,
            @Nullable Escape escape,
            Closing closing) {
        // Visible content of a choose or try is one level deeper, in a branch.
        int levels = content == Content.DROPPED ? 2 : 1;
        if (blocks.size() + levels > MAX_DEPTH + 1) {
            if (!isTooDeep) {
                isTooDeep = true;
                report(
                        at,
                        "blocks are nested more than " + MAX_DEPTH + " deep",
                        "deeper tags stripped");
            }
            strip(element, tag);
            return false;
        }
        blocks.push(top().inner(element, at, content, escape, closing));
        open.add(element);
        if (tag.isEmptyElement()) {
            close();
        }
        return true;
    }

    void close() {
        var closed = blocks.pop();
        open.take(closed.element());
        closed.close();
    }

    /** Reports that {@code element} has no end tag. */
    void notClosed(Position at, Element element, String instead) {
        report(at, "<" + element + "> is not closed", instead);
    }

    /** Strips and reports {@code tag}, whose element is not allowed at this place. */
    void misplaced(Element element, String place, Tag tag, Position at) {
        // The branches of a block that was too deep are not reported again.
        if (blocks.size() < MAX_DEPTH) {
            report(at, "<" + element + "> must be inside " + place, PageBuilder.STRIPPED);
        }
        strip(element, tag);
    }

    /** Strips {@code tag} and its end tag. */
    void strip(Element element, Tag tag) {
        if (!tag.isEmptyElement() && !element.isEmpty()) {
            top().strip(element);
        }
    }

    /**
     * Ends an element that is complete with its attributes; content after the tag does not belong
     * to it.
     */
    void endsHere(Element element, Tag tag, Attributes attributes) {
        if (!tag.isEmptyElement()) {
            attributes.report("<" + element + "> must end in />", "treated as if it did");
            top().strip(element);
        }
    }

    /** Counts a problem, and stores it if there is room. */
    void report(Position at, String what, String instead) {
        diagnostics.report(at, what, instead);
    }
}
