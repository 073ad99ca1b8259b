package dev.quire.core.parse;

import dev.quire.core.expression.Escape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An element whose end tag is still expected, or the document itself, with its content so far. */
final class Block {

    /** How text directly in a block is treated. */
    enum Content {
        COPIED,
        /** Copied, with references replaced: a processing context. */
        INTERPOLATED,
        /** Dropped; anything but white space is reported. */
        DROPPED,
        /** Dropped, tags included. */
        REMOVED
    }

    /** Called with the complete content of a block; turns it into a node. */
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

    /** The stripped start tags in this block whose end tag has not been seen. */
    private @Nullable ElementCounts stripped;

    /**
     * @param enclosing the enclosing block; null for the document
     * @param escape of references in it; null: as in the enclosing block
     */
    private Block(
            @Nullable Block enclosing,
            Element element,
            Position at,
            Content content,
            @Nullable Escape escape,
            Closing closing) {
        // A break cannot leave a loop from inside a value, nor can a return leave a function.
        boolean isBoundary =
                switch (element) {
                    case FUNCTION, ASSIGN, REPLACE -> true;
                    default -> false;
                };
        this.element = element;
        this.at = at;
        this.content = content;
        this.escape = escape == null && enclosing != null ? enclosing.escape : escape;
        this.value =
                element == Element.FUNCTION
                        || element == Element.ASSIGN
                        || (enclosing != null && enclosing.value);
        this.inLoop =
                element == Element.FOREACH
                        || (enclosing != null && enclosing.inLoop && !isBoundary);
        this.inFunction =
                element == Element.FUNCTION
                        || (enclosing != null && enclosing.inFunction && !isBoundary);
        this.nodes =
                element == Element.VARS && enclosing != null && enclosing.shows()
                        ? enclosing.nodes
                        : new ArrayList<>();
        this.closing = closing;
    }

    static Block document() {
        var start = new Position(1, 1, 0);
        return new Block(null, Element.UNKNOWN, start, Content.COPIED, null, content -> {});
    }

    /**
     * Returns a block inside this one.
     *
     * @param escape of references in it; null: as in this block
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

    /** Returns the escaping of its references, or null if none was given. */
    @Nullable Escape escape() {
        return escape;
    }

    /** Whether it is part of a value and so not part of the output. */
    boolean isValue() {
        return value;
    }

    boolean isInLoop() {
        return inLoop;
    }

    boolean isInFunction() {
        return inFunction;
    }

    /** Whether its direct content is shown. */
    boolean shows() {
        return switch (content) {
            case COPIED, INTERPOLATED -> true;
            case DROPPED, REMOVED -> false;
        };
    }

    /** Returns its content; a vars block shares the list of the enclosing block. */
    List<EsiNode> nodes() {
        return nodes;
    }

    /** Ends the block; its content is complete. */
    void close() {
        closing.closed(nodes);
    }

    /** Notes that a start tag inside it was stripped, so that its end tag is stripped too. */
    void strip(Element inner) {
        if (stripped == null) {
            stripped = new ElementCounts();
        }
        stripped.add(inner);
    }

    /** Whether an end tag belongs to a stripped start tag. */
    boolean swallows(Element inner) {
        return stripped != null && stripped.take(inner);
    }
}
