package dev.quire.core.parse;

import dev.quire.core.expression.Escape;
import dev.quire.core.expression.Interpolation;
import dev.quire.core.expression.Interpolation.Piece;
import dev.quire.core.expression.PatternAllowance;
import java.util.List;
import java.util.Set;

/**
 * Turns the text between tags into nodes and replaces references in it, within the page's limit of
 * nodes. Nodes are added to the innermost open block.
 */
final class TextRuns {

    /*
     * Of the current run only the start is stored. A run ends where something is removed, and only
     * then are its bytes read, if they may contain references. So white space after an include
     * without a slash needs no buffer. It is text, unless the next tag makes the include a
     * container; then the run restarts after that tag.
     */

    /** The maximum number of nodes of a page, not counting text between tags. */
    static final int MAX_NODES = Interpolation.MAX_PIECES;

    private final ParseOptions reading;
    private final Openings openings;
    private final Document document;
    private final BlockStack blocks;
    private final Set<String> functions;
    private final PatternAllowance patterns;

    private Position textFrom = new Position(1, 1, 0);

    /** Whether references in the current run are plain text. */
    private boolean isVerbatim;

    private boolean isInString;
    private int nodes;
    private boolean isFull;

    /**
     * @param functions names of the page's own functions, as far as known
     * @param patterns the budget of the page
     */
    TextRuns(
            ParseOptions reading,
            Openings openings,
            Document document,
            BlockStack blocks,
            Set<String> functions,
            PatternAllowance patterns) {
        this.reading = reading;
        this.openings = openings;
        this.document = document;
        this.blocks = blocks;
        this.functions = functions;
        this.patterns = patterns;
    }

    /** Returns the offset where the current run begins. */
    int start() {
        return textFrom.offset();
    }

    /** Starts a new run at {@code at}, discarding the current one. */
    void restart(Position at) {
        textFrom = at;
    }

    /** Returns the chars of the current run up to {@code end}. */
    String until(Position end) {
        return document.text(textFrom.offset(), end.offset());
    }

    void verbatimFrom(Position start) {
        vanish(start, start);
        isVerbatim = true;
    }

    /** Ends verbatim text, if any, at {@code start}; the next run begins at {@code end}. */
    void verbatimUntil(Position start, Position end) {
        if (isVerbatim) {
            vanish(start, end);
            isVerbatim = false;
        }
    }

    /** Makes all of the run up to {@code start} verbatim; the next run begins at {@code end}. */
    void endVerbatim(Position start, Position end) {
        isVerbatim = true;
        verbatimUntil(start, end);
    }

    /** Begins or ends a JSON string. */
    void inString(boolean isInString) {
        this.isInString = isInString;
    }

    boolean isInString() {
        return isInString;
    }

    /**
     * Adds {@code node} to the innermost block. Returns false if it is hidden or the page is full.
     */
    boolean add(EsiNode node) {
        var block = blocks.top();
        if (!block.shows() || !hasRoomFor(1)) {
            return false;
        }
        nodes++;
        block.nodes().add(node);
        return true;
    }

    /** Removes the bytes from {@code start} to {@code end} from the output. */
    void vanish(Position start, Position end) {
        if (start.offset() > textFrom.offset()) {
            run(textFrom, start.offset());
        }
        textFrom = end;
    }

    private boolean hasRoomFor(int more) {
        boolean isTooMuch = more > MAX_NODES - nodes;
        if (isTooMuch && !isFull) {
            isFull = true;
            blocks.report(
                    textFrom, "the page has more than " + MAX_NODES + " nodes", "the rest dropped");
        }
        return !isTooMuch;
    }

    private void run(Position from, int end) {
        var block = blocks.top();
        switch (block.content()) {
            case COPIED -> addCopied(from.offset(), end);
            case INTERPOLATED -> {
                if (isVerbatim) {
                    addVerbatim(from.offset(), end);
                } else {
                    interpolate(from, end);
                }
            }
            case DROPPED -> {
                if (!isVerbatim && !document.text(from.offset(), end).isBlank()) {
                    blocks.report(
                            from,
                            "text is not allowed directly in <" + block.element() + ">",
                            "dropped");
                }
            }
            case REMOVED -> {}
        }
    }

    /** Adds text; it is merged with directly preceding text. */
    private void addText(int start, int end) {
        var nodes = blocks.top().nodes();
        if (!nodes.isEmpty()
                && nodes.getLast() instanceof EsiNode.Text(Span last)
                && last.end() == start) {
            nodes.removeLast();
            start = last.start();
        }
        blocks.top().nodes().add(new EsiNode.Text(new Span(start, end)));
    }

    private void addVerbatim(int start, int end) {
        if (blocks.top().isValue()) {
            addLiteral(document.text(start, end));
        } else {
            addCopied(start, end);
        }
    }

    private void addCopied(int start, int end) {
        if (openings.areStamped()) {
            addUnstamped(document.text(start, end), start);
        } else {
            addText(start, end);
        }
    }

    /** Adds the text at {@code offset} without any stamp, which must stay secret. */
    private void addUnstamped(String text, int offset) {
        int from = 0;
        int at = openings.stampIn(text, 0);
        while (at >= 0) {
            if (at > from) {
                addText(offset + from, offset + at);
            }
            from = openings.behindStamp(text, at);
            at = openings.stampIn(text, from);
        }
        if (from < text.length()) {
            addText(offset + from, offset + text.length());
        }
    }

    private void interpolate(Position from, int end) {
        int start = from.offset();
        var text = document.text(start, end);
        var pieces =
                isPlain(text)
                        ? List.<Piece>of()
                        : Interpolation.of(
                                        text,
                                        functions,
                                        reading.dialect(),
                                        patterns,
                                        openings.mark())
                                .pieces();
        if (pieces.isEmpty() || !hasRoomFor(pieces.size())) {
            addVerbatim(start, end);
            return;
        }
        var literal = new StringBuilder();
        var at = new Walk(text, from);
        for (var piece : pieces) {
            switch (piece) {
                case Piece.Verbatim(int first, int last) -> {
                    if (blocks.top().isValue()) {
                        literal.append(text, first, last);
                    } else {
                        nodes++;
                        addUnstamped(text.substring(first, last), start + first);
                    }
                }
                case Piece.Reference reference -> {
                    addLiteral(literal.toString());
                    literal.setLength(0);
                    add(
                            new EsiNode.Write(
                                    reference.expression(), escape(), at.to(reference.start())));
                }
            }
        }
        addLiteral(literal.toString());
    }

    /** Whether {@code text} is the same in every request. */
    private boolean isPlain(String text) {
        return openings.areStamped()
                ? openings.stampIn(text, 0) < 0
                : text.indexOf('$') < 0 && text.indexOf('\\') < 0;
    }

    private void addLiteral(String text) {
        var shown = openings.without(text);
        if (!shown.isEmpty()) {
            add(new EsiNode.Literal(shown));
        }
    }

    /** Returns the default escaping of a reference at this place. */
    Escape escape() {
        var asked = blocks.top().escape();
        if (asked != null) {
            return asked;
        }
        return switch (reading.notation()) {
            case MARKUP -> reading.escape();
            case JSON -> isInString ? Escape.JSON : Escape.NONE;
        };
    }

    /** Counts lines along a run of text. */
    private static final class Walk {
        private final String text;
        private final int offset;
        private int done;
        private int line;
        private int column;

        Walk(String text, Position from) {
            this.text = text;
            this.offset = from.offset();
            this.line = from.line();
            this.column = from.column();
        }

        /**
         * Returns the position of the char at {@code index}, which must not decrease between calls.
         */
        Position to(int index) {
            while (done < index) {
                if (text.charAt(done++) == '\n') {
                    line++;
                    column = 1;
                } else {
                    column++;
                }
            }
            return new Position(line, column, offset + index);
        }
    }
}
