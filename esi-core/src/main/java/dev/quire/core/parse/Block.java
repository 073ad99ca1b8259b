package dev.quire.core.parse;

import dev.quire.core.expression.Escape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An element whose end tag is awaited, or the document itself, with what it holds so far. */
final class Block {

    /** What becomes of the text that stands directly in a block. */
    enum Content {
        /** It stays as it is. */
        COPIED,
        /** References in it are cut out of it: a processing context. */
        INTERPOLATED,
        /** Only blanks are expected there, and they go. */
        DROPPED,
        /** It goes, tags and all. */
        REMOVED
    }

    /** Makes of the content of a block, once that is whole, what the page needs of it. */
    interface Closing {
        void closed(List<EsiNode> content);
    }

    private final Element element;
    private final Position at;
    private final Content content;
    private final @Nullable Escape escape;
    private final boolean value;
    private final boolean inLoop;
    private final boolean inFunction;
    private final Closing closing;
    private final List<EsiNode> nodes;

    /** How many start tags inside it were stripped and still have an end tag to come. */
    private @Nullable Tally stripped;

    /**
     * @param around the block it is inside; null for the document
     * @param escape of references in it; null: as around it
     */
    private Block(
            @Nullable Block around,
            Element element,
            Position at,
            Content content,
            @Nullable Escape escape,
            Closing closing) {
        // A loop cannot be left out of the middle of a value, nor a function.
        boolean isBoundary =
                switch (element) {
                    case FUNCTION, ASSIGN, REPLACE -> true;
                    default -> false;
                };
        this.element = element;
        this.at = at;
        this.content = content;
        this.escape = escape == null && around != null ? around.escape : escape;
        this.value =
                element == Element.FUNCTION
                        || element == Element.ASSIGN
                        || (around != null && around.value);
        this.inLoop =
                element == Element.FOREACH || (around != null && around.inLoop && !isBoundary);
        this.inFunction =
                element == Element.FUNCTION || (around != null && around.inFunction && !isBoundary);
        this.nodes =
                element == Element.VARS && around != null && around.shows()
                        ? around.nodes
                        : new ArrayList<>();
        this.closing = closing;
    }

    /** The document. */
    static Block document() {
        var start = new Position(1, 1, 0);
        return new Block(null, Element.UNKNOWN, start, Content.COPIED, null, content -> {});
    }

    /**
     * A block inside this one.
     *
     * @param escape of references in it; null: as around it
     */
    Block inner(
            Element element,
            Position at,
            Content content,
            @Nullable Escape escape,
            Closing closing) {
        return new Block(this, element, at, content, escape, closing);
    }

    Element element() {
        return element;
    }

    Position at() {
        return at;
    }

    Content content() {
        return content;
    }

    /** What its references ask for; null if nothing was said. */
    @Nullable Escape escape() {
        return escape;
    }

    /** Whether it is part of a value, and so of no output. */
    boolean isValue() {
        return value;
    }

    boolean isInLoop() {
        return inLoop;
    }

    boolean isInFunction() {
        return inFunction;
    }

    /** Whether what stands directly in it is shown. */
    boolean shows() {
        return switch (content) {
            case COPIED, INTERPOLATED -> true;
            case DROPPED, REMOVED -> false;
        };
    }

    /** Its content; that of vars is the content of the block around it. */
    List<EsiNode> nodes() {
        return nodes;
    }

    /** Its content is whole. */
    void close() {
        closing.closed(nodes);
    }

    /** A start tag inside it was stripped; the end tag that belongs to it goes as well. */
    void strip(Element inner) {
        if (stripped == null) {
            stripped = new Tally();
        }
        stripped.add(inner);
    }

    /** Whether an end tag belongs to a start tag that was stripped. */
    boolean swallows(Element inner) {
        return stripped != null && stripped.take(inner);
    }
}
