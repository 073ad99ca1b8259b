package dev.quire.core.parse;

import dev.quire.core.parse.ParseOptions.SourceFormat;
import dev.quire.core.parse.ParseOptions.Tags;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A parser for ESI documents that arrive in chunks of any size; it takes time linear in their
 * length. Bytes are never decoded: any charset that contains ASCII will do. HTML is text, and ESI
 * is recognised anywhere in it, except in HTML comments and CDATA sections. Markup never makes it
 * fail; it holds at most one unfinished tag (ESI 1.0 §3). For one document; confined to one thread.
 */
public final class EsiParser {

    /*
     * An unclosed quote is only recognised later: when another ESI tag begins, the tag is too long,
     * or the document ends. The tag then ends at the first > after its start, so the parser goes
     * back to that start and reads the retained bytes again. They contain no other tag except one
     * that begins with their last byte, so no byte is retained twice and the work stays linear.
     *
     * In a stamped document only tags that carry the stamp are recognised. Comments and CDATA
     * sections are text in it; otherwise an injected <!-- would hide every tag after it.
     *
     * Escapes in a JSON string arrive decoded; `width` is the number of bytes of the document that
     * a byte represents. Every offset is one in the original document.
     */

    private static final long LOW_BITS = 0x7f7f7f7f7f7f7f7fL;
    private static final long LESS_THANS = 0x0101010101010101L * '<';
    private static final long LINE_FEEDS = 0x0101010101010101L * '\n';

    private enum State {
        TEXT,
        AFTER_TAG,
        LESS_THAN,
        EXCLAMATION_MARK,
        OPENING,
        TAG,
        BROKEN_TAG,
        WRAPPER_DASH,
        WRAPPER_DASHES,
        COMMENT,
        COMMENT_DASH,
        COMMENT_DASHES,
        CDATA,
        CDATA_BRACKET,
        CDATA_BRACKETS,
        RAW,
        RAW_END,
        RAW_END_TAG,
        FINISHED
    }

    private final ParseOptions reading;
    private final Window window = new Window();
    private final PageBuilder page;
    private final Openings openings;
    private final Tag tag;
    private final @Nullable JsonStrings json;
    private State state = State.TEXT;

    private int offset;

    /** How many bytes of the document the current byte represents. */
    private int width = 1;

    private int line = 1;
    private int lineStart;

    /** Offset of the first byte of a possible token. */
    private int tokenAt;

    /** Offset of the second dash of a possible end of a wrapper. */
    private int dashAt;

    /** Where the current tag begins. */
    private Position start = new Position(1, 1, 0);

    private Opening opening = Opening.START_TAG;

    /** The text of the expected opening, and how much of it has been matched. */
    private String expected = "";

    private int matched;

    /**
     * The end tag, without white space and {@code >}, of the element whose content is not parsed.
     */
    private String rawEnd = "";

    /** Offset up to which only white space has followed the last tag. */
    private int blankUntil;

    private long work;

    /** Creates a parser for plain markup. */
    public EsiParser() {
        this(ParseOptions.STANDARD);
    }

    public EsiParser(ParseOptions reading) {
        this.reading = reading;
        this.openings = new Openings(reading.tags());
        this.tag = new Tag(openings);
        this.page = new PageBuilder(reading, openings, window);
        this.json =
                reading.notation() == SourceFormat.JSON
                        ? new JsonStrings(this, openings.areStamped())
                        : null;
    }

    /** Returns the names of all ESI elements, without {@code esi:}. */
    public static Set<String> elements() {
        return Element.names();
    }

    /**
     * Consumes all of {@code chunk}; a tag may be split anywhere between two calls.
     *
     * @throws IllegalStateException if the document has been finished, or grows beyond 2 GiB
     */
    public void feed(ByteBuffer chunk) {
        if (state == State.FINISHED) {
            throw new IllegalStateException("the document has been finished");
        }
        if (chunk.remaining() > Integer.MAX_VALUE - offset) {
            throw new IllegalStateException("a document must be shorter than 2 GiB");
        }
        if (reading.tags() == Tags.Unstamped.NONE) {
            offset += chunk.remaining();
            chunk.position(chunk.limit());
            return;
        }
        window.begin(chunk, offset + pending());
        readDocument(chunk.slice());
        chunk.position(chunk.limit());
        window.end(neededFrom());
    }

    /** Returns the document, after its last byte has been fed. */
    public ParsedPage finish() {
        offset += pending();
        if (state == State.TAG) {
            if (tag.isInQuotes()) {
                state = broken("a quote is not closed");
            } else {
                page.report(start, "the document ends inside a tag", "tag dropped");
            }
        }
        int end =
                switch (state) {
                    case TAG, BROKEN_TAG, RAW_END_TAG -> start.offset();
                    // A prefix this long cannot be text.
                    case RAW_END ->
                            matched < openings.text(Opening.END_TAG).length() ? offset : tokenAt;
                    default -> offset;
                };
        state = State.FINISHED;
        return page.finish(end == start.offset() ? start : position(end));
    }

    /** Returns the number of bytes and states processed; tests use it to show linear time. */
    long work() {
        return work;
    }

    private void readDocument(ByteBuffer chunk) {
        if (json == null) {
            read(chunk);
        } else {
            json.read(chunk);
        }
    }

    /** Returns the number of bytes read that may be the beginning of an escape. */
    private int pending() {
        return json == null ? 0 : json.pending();
    }

    /** Reads decoded bytes that represent {@code rawLength} bytes of the document. */
    void readDecoded(byte[] decoded, int rawLength) {
        offset += rawLength - decoded.length;
        width = rawLength - decoded.length + 1;
        read(ByteBuffer.wrap(decoded));
        width = 1;
    }

    /** Whether a quote at this point belongs to a tag, not to the document. */
    boolean isInTag() {
        return switch (state) {
            case TAG, BROKEN_TAG, RAW_END_TAG -> true;
            default -> false;
        };
    }

    /** Handles the begin or end of a JSON string; comments and CDATA sections end with it. */
    void inString(boolean isInString) {
        boolean wasOpaque =
                switch (state) {
                    case COMMENT,
                            COMMENT_DASH,
                            COMMENT_DASHES,
                            CDATA,
                            CDATA_BRACKET,
                            CDATA_BRACKETS ->
                            true;
                    default -> false;
                };
        if (wasOpaque) {
            page.opaqueUntil(position(offset));
            state = State.TEXT;
        }
        page.inString(isInString, position(offset));
    }

    void read(ByteBuffer chunk) {
        chunk.order(ByteOrder.LITTLE_ENDIAN);
        while (chunk.hasRemaining()) {
            work++;
            state =
                    switch (state) {
                        case TEXT -> text(chunk);
                        case AFTER_TAG -> afterTag(chunk);
                        case LESS_THAN -> lessThan(chunk);
                        case EXCLAMATION_MARK -> exclamationMark(chunk);
                        case OPENING -> opening(chunk);
                        case TAG -> tag(chunk);
                        case BROKEN_TAG -> brokenTag(chunk);
                        case WRAPPER_DASH -> wrapperDash(chunk);
                        case WRAPPER_DASHES -> wrapperDashes(chunk);
                        case COMMENT -> opaque(chunk, '-', State.COMMENT, State.COMMENT_DASH);
                        case COMMENT_DASH -> once(chunk, '-', State.COMMENT, State.COMMENT_DASHES);
                        case COMMENT_DASHES ->
                                twice(chunk, '-', State.COMMENT, State.COMMENT_DASHES);
                        case CDATA -> opaque(chunk, ']', State.CDATA, State.CDATA_BRACKET);
                        case CDATA_BRACKET -> once(chunk, ']', State.CDATA, State.CDATA_BRACKETS);
                        case CDATA_BRACKETS -> twice(chunk, ']', State.CDATA, State.CDATA_BRACKETS);
                        case RAW -> raw(chunk);
                        case RAW_END -> rawEnd(chunk);
                        case RAW_END_TAG -> rawEndTag(chunk);
                        case FINISHED -> throw new IllegalStateException("finished");
                    };
        }
    }

    private State text(ByteBuffer chunk) {
        boolean isFound =
                page.isInWrapper() ? skipTo(chunk, '<', '-') : skipToPossibleOpening(chunk);
        if (!isFound) {
            return State.TEXT;
        }
        byte taken = take(chunk);
        tokenAt = offset - width;
        return taken == '-' ? State.WRAPPER_DASH : State.LESS_THAN;
    }

    /** Skips white space after a tag; the next byte decides whether an include is a container. */
    private State afterTag(ByteBuffer chunk) {
        while (chunk.hasRemaining()) {
            if (!Tag.isBlank(next(chunk))) {
                blankUntil = offset - width + 1;
                return State.TEXT;
            }
            take(chunk);
        }
        return State.AFTER_TAG;
    }

    private State lessThan(ByteBuffer chunk) {
        return switch (next(chunk)) {
            case 'e' -> expect(Opening.START_TAG, 1);
            case '/' -> expect(Opening.END_TAG, 1);
            case '!' -> {
                if (openings.areStamped()) {
                    yield State.TEXT;
                }
                take(chunk);
                yield State.EXCLAMATION_MARK;
            }
            default -> State.TEXT;
        };
    }

    private State exclamationMark(ByteBuffer chunk) {
        return switch (next(chunk)) {
            case '-' -> expect(Opening.WRAPPER, 2);
            case '[' -> expect(Opening.CDATA, 2);
            default -> State.TEXT;
        };
    }

    private State expect(Opening begun, int seen) {
        start = position(tokenAt);
        opening = begun;
        expected = openings.text(begun);
        matched = seen;
        return State.OPENING;
    }

    private State opening(ByteBuffer chunk) {
        if (next(chunk) != expected.charAt(matched)) {
            boolean comment = opening == Opening.WRAPPER && matched >= Opening.COMMENT_LENGTH;
            return comment && !reading.opensHtmlComments() ? comment() : State.TEXT;
        }
        take(chunk);
        matched++;
        return matched < expected.length() ? State.OPENING : opened();
    }

    private State opened() {
        return switch (opening) {
            case START_TAG, END_TAG -> {
                tag.begin(opening);
                yield State.TAG;
            }
            case WRAPPER -> {
                page.wrapperOpened(start, position(offset));
                yield State.TEXT;
            }
            case CDATA -> {
                page.opaqueFrom(start);
                yield State.CDATA;
            }
        };
    }

    private State comment() {
        page.opaqueFrom(start);
        return State.COMMENT;
    }

    private State tag(ByteBuffer chunk) {
        while (chunk.hasRemaining()) {
            switch (tag.accept(take(chunk))) {
                case OPEN -> {}
                case CLOSED -> {
                    page.tag(tag, start, position(offset), start.offset() == blankUntil);
                    return behindTag();
                }
                case TOO_LONG -> {
                    return broken("a tag is longer than " + Tag.MAX_BYTES + " bytes");
                }
                case INTERRUPTED -> {
                    return broken("an ESI tag begins inside another");
                }
            }
        }
        return State.TAG;
    }

    private State behindTag() {
        var raw = page.raw();
        if (raw == null) {
            return State.AFTER_TAG;
        }
        rawEnd = openings.text(Opening.END_TAG) + raw.text();
        return State.RAW;
    }

    /** Reads the tag again from its start, as one that ends at the first {@code >}. */
    private State broken(String why) {
        page.report(start, why, "tag stripped up to its first >");
        int end = offset;
        offset = start.offset();
        line = start.line();
        lineStart = offset - (start.column() - 1);
        width = 1;
        state = State.BROKEN_TAG;
        readDocument(ByteBuffer.wrap(window.bytes(offset, end)));
        return state;
    }

    private State brokenTag(ByteBuffer chunk) {
        if (!skipTo(chunk, '>', '>')) {
            return State.BROKEN_TAG;
        }
        take(chunk);
        page.brokenTag(start, position(offset));
        return State.TEXT;
    }

    private State wrapperDash(ByteBuffer chunk) {
        if (next(chunk) != '-') {
            return State.TEXT;
        }
        take(chunk);
        dashAt = offset - width;
        return State.WRAPPER_DASHES;
    }

    private State wrapperDashes(ByteBuffer chunk) {
        byte next = next(chunk);
        if (next == '-') {
            // Of more than two dashes the last two count.
            tokenAt = dashAt;
            take(chunk);
            dashAt = offset - width;
            return State.WRAPPER_DASHES;
        }
        if (next == '>') {
            take(chunk);
            page.wrapperClosed(position(tokenAt), position(offset));
        }
        return State.TEXT;
    }

    /** Skips content that ends with {@code twin}, {@code twin}, {@code >}. */
    private State opaque(ByteBuffer chunk, char twin, State same, State then) {
        if (!skipTo(chunk, twin, twin)) {
            return same;
        }
        take(chunk);
        return then;
    }

    private State once(ByteBuffer chunk, char twin, State back, State then) {
        return take(chunk) == twin ? then : back;
    }

    private State twice(ByteBuffer chunk, char twin, State back, State same) {
        byte taken = take(chunk);
        if (taken == '>') {
            page.opaqueUntil(position(offset));
            return State.TEXT;
        }
        return taken == twin ? same : back;
    }

    /** Skips content that is not parsed. */
    private State raw(ByteBuffer chunk) {
        if (!skipTo(chunk, '<', '<')) {
            return State.RAW;
        }
        take(chunk);
        tokenAt = offset - width;
        matched = 1;
        return State.RAW_END;
    }

    private State rawEnd(ByteBuffer chunk) {
        byte next = next(chunk);
        if (matched == rawEnd.length()) {
            start = position(tokenAt);
            return Tag.isBlank(next) || next == '>' ? State.RAW_END_TAG : State.RAW;
        }
        if (next != rawEnd.charAt(matched)) {
            return State.RAW;
        }
        take(chunk);
        matched++;
        return State.RAW_END;
    }

    private State rawEndTag(ByteBuffer chunk) {
        if (!skipTo(chunk, '>', '>')) {
            return State.RAW_END_TAG;
        }
        take(chunk);
        page.rawEnded(start, position(offset));
        return State.AFTER_TAG;
    }

    /** Returns the offset from which the document must stay in memory; negative if none. */
    private int neededFrom() {
        int retained = page.retainedFrom();
        if (retained >= 0) {
            return retained;
        }
        return switch (state) {
            case LESS_THAN, EXCLAMATION_MARK, OPENING, TAG -> tokenAt;
            default -> pending() > 0 ? offset : -1;
        };
    }

    private Position position(int at) {
        return new Position(line, at - lineStart + 1, at);
    }

    private static byte next(ByteBuffer chunk) {
        return chunk.get(chunk.position());
    }

    private byte take(ByteBuffer chunk) {
        byte taken = chunk.get();
        offset++;
        work++;
        if (taken == '\n') {
            line++;
            lineStart = offset;
        }
        return taken;
    }

    /**
     * Moves to the first {@code <} that may open something; false if the chunk has none. Eight
     * bytes at a time, since most of a page is skipped here.
     */
    private boolean skipToPossibleOpening(ByteBuffer chunk) {
        int from = chunk.position();
        int end = chunk.limit();
        int at = from;
        int lines = 0;
        int afterLine = -1;
        boolean isFound = false;
        while (!isFound && at + Long.BYTES <= end) {
            long word = chunk.getLong(at);
            long lineFeeds = matches(word, LINE_FEEDS);
            long found = matches(word, LESS_THANS);
            int passed = Long.BYTES;
            while (found != 0) {
                int index = Long.numberOfTrailingZeros(found) >> 3;
                if (mayOpen(chunk, at + index, end)) {
                    isFound = true;
                    passed = index;
                    lineFeeds &= (1L << (8 * index)) - 1;
                    break;
                }
                found &= found - 1;
            }
            if (lineFeeds != 0) {
                lines += Long.bitCount(lineFeeds);
                afterLine = at + Long.BYTES - (Long.numberOfLeadingZeros(lineFeeds) >> 3);
            }
            at += passed;
        }
        while (!isFound && at < end) {
            byte next = chunk.get(at);
            if (next == '<' && mayOpen(chunk, at, end)) {
                isFound = true;
            } else {
                at++;
                if (next == '\n') {
                    lines++;
                    afterLine = at;
                }
            }
        }
        if (afterLine >= 0) {
            line += lines;
            lineStart = offset + afterLine - from;
        }
        chunk.position(at);
        offset += at - from;
        work += at - from;
        return isFound;
    }

    /** Whether the bytes after the {@code <} at {@code at}, as far as present, fit an opening. */
    private static boolean mayOpen(ByteBuffer chunk, int at, int end) {
        if (at + 1 == end) {
            return true;
        }
        return switch (chunk.get(at + 1)) {
            case 'e', '!' -> true;
            case '/' -> at + 2 == end || chunk.get(at + 2) == 'e';
            default -> false;
        };
    }

    /**
     * Returns a word with the highest bit set of each byte of {@code word} that equals that of
     * {@code pattern}.
     */
    private static long matches(long word, long pattern) {
        long difference = word ^ pattern;
        return ~(((difference & LOW_BITS) + LOW_BITS) | difference | LOW_BITS);
    }

    /** Moves to the first {@code one} or {@code other}; false if the chunk has neither. */
    private boolean skipTo(ByteBuffer chunk, char one, char other) {
        int from = chunk.position();
        int end = chunk.limit();
        int at = from;
        while (at < end) {
            byte b = chunk.get(at);
            if (b == one || b == other) {
                break;
            }
            at++;
            if (b == '\n') {
                line++;
                lineStart = offset + at - from;
            }
        }
        chunk.position(at);
        offset += at - from;
        work += at - from;
        return at < end;
    }
}
