package dev.quire.core.parse;

import dev.quire.core.expression.Escape;
import dev.quire.core.parse.Block.Closing;
import dev.quire.core.parse.Block.Content;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** The blocks that are open around the place that is being read, the document among them. */
final class BlockStack {

    /** How many blocks may stand in one another. */
    static final int MAX_DEPTH = 200;

    private final Diagnostics diagnostics;
    private final ArrayDeque<Block> blocks = new ArrayDeque<>();
    private final Tally open = new Tally();
    boolean isTooDeep;

    BlockStack(Diagnostics diagnostics) {
        this.diagnostics = diagnostics;
        blocks.push(Block.document());
    }

    /** The innermost block. */
    Block top() {
        return blocks.element();
    }

    /** How many there are; one if only the document is open. */
    int depth() {
        return blocks.size();
    }

    /** How many blocks, and calls, of each element are open. */
    Tally open() {
        return open;
    }

    /** Opens a block, and closes it again if the tag is all of it; false if it is too deep. */
    boolean open(
            Element element,
            Tag tag,
            Position at,
            Content content,
            @Nullable Escape escape,
            Closing closing) {
        // Whatever shows anything of a choose or try is one level deeper.
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

    /** Closes the innermost block. */
    void close() {
        var closed = blocks.pop();
        open.take(closed.element());
        closed.close();
    }

    /** Reports that {@code element} has no end tag. */
    void notClosed(Position at, Element element, String instead) {
        report(at, "<" + element + "> is not closed", instead);
    }

    /** Strips {@code tag}, whose element has no meaning where it is. */
    void misplaced(Element element, String place, Tag tag, Position at) {
        // Of what stands too deep that has been told, not what became of its branches.
        if (blocks.size() < MAX_DEPTH) {
            report(at, "<" + element + "> must be inside " + place, PageBuilder.STRIPPED);
        }
        strip(element, tag);
    }

    /** Strips {@code tag}, and with it the end tag that belongs to it. */
    void strip(Element element, Tag tag) {
        if (!tag.isEmptyElement() && !element.isEmpty()) {
            top().strip(element);
        }
    }

    /** An attribute has said everything; what stands behind the tag is no part of it. */
    void endsHere(Element element, Tag tag, Attributes attributes) {
        if (!tag.isEmptyElement()) {
            attributes.report("<" + element + "> must end in />", "treated as if it did");
            top().strip(element);
        }
    }

    /** Counts something malformed, and keeps it if there is room. */
    void report(Position at, String what, String instead) {
        diagnostics.report(at, what, instead);
    }
}
