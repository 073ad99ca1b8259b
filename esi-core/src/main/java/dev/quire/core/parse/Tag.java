package dev.quire.core.parse;

import dev.quire.core.expression.XmlReferences;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * One ESI tag, fed byte by byte after its opening. It is the only part of a document the parser
 * holds, at most {@value #MAX_BYTES} bytes, and is reused for the next tag.
 *
 * <pre>
 * start = "&lt;esi:" name *( 1*ws attr ) *ws [ "/" ] "&gt;"
 * end   = "&lt;/esi:" name *ws "&gt;"
 * attr  = aname [ *ws "=" *ws value ]
 * aname = ( ALPHA / "_" / ":" ) *( ALPHA / DIGIT / "_" / ":" / "-" / "." )
 * value = DQUOTE *c DQUOTE / SQUOTE *c SQUOTE / 1*( not ws, not "&gt;", not quote )
 * </pre>
 *
 * <p>Bytes that do not fit the grammar are skipped, and {@link #hasStrayBytes} is set.
 */
final class Tag {

    /** The maximum length of a tag; a longer one is malformed. */
    static final int MAX_BYTES = 64 * 1024;

    /** The state of a tag after a byte. */
    enum Progress {
        OPEN,
        CLOSED,
        /** Longer than allowed. */
        TOO_LONG,
        /** Another ESI tag began before this one ended. */
        INTERRUPTED
    }

    private enum State {
        NAME,
        BETWEEN,
        ATTRIBUTE_NAME,
        AFTER_ATTRIBUTE_NAME,
        BEFORE_VALUE,
        DOUBLE_QUOTED,
        SINGLE_QUOTED,
        UNQUOTED,
        AFTER_QUOTE,
        SLASH,
        CLOSED
    }

    /** Offsets of an attribute in the tag; without a value both value offsets are the same. */
    private record Attribute(int nameStart, int nameEnd, int valueStart, int valueEnd) {}

    private final Openings openings;
    private final List<Attribute> attributes = new ArrayList<>();
    private byte[] bytes = new byte[256];
    private int length;
    private State state = State.CLOSED;
    private Opening opening = Opening.START_TAG;
    private int nameEnd;
    private int attributeStart;
    private int attributeEnd;
    private int valueStart;
    private boolean empty;
    private boolean strayBytes;
    private boolean malformed;

    Tag(Openings openings) {
        this.openings = openings;
    }

    /** Discards the last tag and begins one; its {@code opening} has been read, stamp included. */
    void begin(Opening opening) {
        this.opening = opening;
        attributes.clear();
        length = 0;
        empty = false;
        strayBytes = false;
        malformed = false;
        var text = opening.text();
        for (int i = 0; i < text.length(); i++) {
            hold((byte) text.charAt(i));
        }
        state = State.NAME;
    }

    Progress accept(byte next) {
        hold(next);
        state =
                switch (state) {
                    case NAME -> name(next);
                    case BETWEEN -> between(next);
                    case ATTRIBUTE_NAME -> attributeName(next);
                    case AFTER_ATTRIBUTE_NAME -> afterAttributeName(next);
                    case BEFORE_VALUE -> beforeValue(next);
                    case DOUBLE_QUOTED -> quoted(next, '"', State.DOUBLE_QUOTED);
                    case SINGLE_QUOTED -> quoted(next, '\'', State.SINGLE_QUOTED);
                    case UNQUOTED -> unquoted(next);
                    case AFTER_QUOTE -> afterQuote(next);
                    case SLASH -> slash(next);
                    case CLOSED -> throw new IllegalStateException("the tag has been closed");
                };
        if (state == State.CLOSED) {
            return Progress.CLOSED;
        }
        if (openings.interrupt(bytes, length, next)) {
            return Progress.INTERRUPTED;
        }
        return length == MAX_BYTES ? Progress.TOO_LONG : Progress.OPEN;
    }

    /** Whether the last byte is inside a quoted value. */
    boolean isInQuotes() {
        return state == State.DOUBLE_QUOTED || state == State.SINGLE_QUOTED;
    }

    boolean isEndTag() {
        return opening == Opening.END_TAG;
    }

    /** Whether the start tag ends with a slash. */
    boolean isEmptyElement() {
        return empty;
    }

    /** Whether bytes that are not part of an attribute were skipped. */
    boolean hasStrayBytes() {
        return strayBytes;
    }

    /** Whether its first attribute follows the name without a blank: it must not be run. */
    boolean isMalformed() {
        return malformed;
    }

    Element element() {
        return Element.named(text(opening.text().length(), nameEnd));
    }

    boolean ends(Element element) {
        return isEndTag() && element() == element;
    }

    /** Returns the number of attributes called {@code name}. */
    int count(String name) {
        int count = 0;
        for (var attribute : attributes) {
            if (isNamed(attribute, name)) {
                count++;
            }
        }
        return count;
    }

    /** Returns the first value of {@code name}, XML references decoded, one char for each byte. */
    Optional<String> value(String name) {
        for (var attribute : attributes) {
            if (isNamed(attribute, name)) {
                return Optional.of(value(attribute));
            }
        }
        return Optional.empty();
    }

    /** Passes every attribute and its value to {@code each}, in order. */
    void forEach(BiConsumer<String, String> each) {
        for (var attribute : attributes) {
            each.accept(text(attribute.nameStart(), attribute.nameEnd()), value(attribute));
        }
    }

    /** A stamp in a value has no meaning and must not be shown. */
    private String value(Attribute attribute) {
        return XmlReferences.decode(
                openings.without(text(attribute.valueStart(), attribute.valueEnd())));
    }

    /** Whether a name occurs twice, except names that may be repeated. */
    boolean hasDuplicates() {
        if (attributes.size() < 2) {
            return false;
        }
        var names = new HashSet<String>();
        for (var attribute : attributes) {
            var name = text(attribute.nameStart(), attribute.nameEnd());
            if (!names.add(name) && !name.equals("src") && !name.contains("header")) {
                return true;
            }
        }
        return false;
    }

    private State name(byte next) {
        if (!isBlank(next) && next != '/' && next != '>') {
            return State.NAME;
        }
        nameEnd = length - 1;
        return between(next);
    }

    private State between(byte next) {
        if (isBlank(next)) {
            return State.BETWEEN;
        }
        if (isNameStart(next)) {
            attributeStart = length - 1;
            return State.ATTRIBUTE_NAME;
        }
        return switch (next) {
            case '/' -> State.SLASH;
            case '>' -> State.CLOSED;
            default -> stray(State.BETWEEN);
        };
    }

    private State attributeName(byte next) {
        if (isNamePart(next)) {
            return State.ATTRIBUTE_NAME;
        }
        attributeEnd = length - 1;
        return afterAttributeName(next);
    }

    private State afterAttributeName(byte next) {
        if (isBlank(next)) {
            return State.AFTER_ATTRIBUTE_NAME;
        }
        if (next == '=') {
            return State.BEFORE_VALUE;
        }
        attribute(attributeEnd, attributeEnd);
        return between(next);
    }

    private State beforeValue(byte next) {
        if (isBlank(next)) {
            return State.BEFORE_VALUE;
        }
        valueStart = length;
        return switch (next) {
            case '"' -> State.DOUBLE_QUOTED;
            case '\'' -> State.SINGLE_QUOTED;
            default -> {
                valueStart = length - 1;
                yield unquoted(next);
            }
        };
    }

    private State quoted(byte next, char quote, State same) {
        if (next != quote) {
            return same;
        }
        attribute(valueStart, length - 1);
        return State.AFTER_QUOTE;
    }

    private State unquoted(byte next) {
        int end = length - 1;
        if (next == '>') {
            empty = end > valueStart && bytes[end - 1] == '/';
            attribute(valueStart, empty ? end - 1 : end);
            return State.CLOSED;
        }
        if (isBlank(next)) {
            attribute(valueStart, end);
            return State.BETWEEN;
        }
        if (next == '"' || next == '\'') {
            attribute(valueStart, end);
            return stray(State.BETWEEN);
        }
        return State.UNQUOTED;
    }

    private State afterQuote(byte next) {
        boolean parted = isBlank(next) || next == '/' || next == '>';
        return parted ? between(next) : stray(between(next));
    }

    private State slash(byte next) {
        if (next == '>') {
            empty = true;
            return State.CLOSED;
        }
        if (isBlank(next)) {
            return stray(State.SLASH);
        }
        malformed |= length - 2 == nameEnd;
        return stray(between(next));
    }

    private State stray(State then) {
        strayBytes = true;
        return then;
    }

    private void attribute(int from, int to) {
        attributes.add(new Attribute(attributeStart, attributeEnd, from, to));
    }

    private void hold(byte next) {
        if (length == bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.min(2 * length, MAX_BYTES));
        }
        bytes[length++] = next;
    }

    private boolean isNamed(Attribute attribute, String name) {
        if (attribute.nameEnd() - attribute.nameStart() != name.length()) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if (bytes[attribute.nameStart() + i] != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private String text(int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    }

    /** Whether {@code next} is white space of the tag grammar: SP, HT, CR, LF or FF. */
    static boolean isBlank(byte next) {
        return switch (next) {
            case ' ', '\t', '\r', '\n', '\f' -> true;
            default -> false;
        };
    }

    private static boolean isNameStart(byte next) {
        return (next >= 'a' && next <= 'z')
                || (next >= 'A' && next <= 'Z')
                || next == '_'
                || next == ':';
    }

    private static boolean isNamePart(byte next) {
        return isNameStart(next) || (next >= '0' && next <= '9') || next == '-' || next == '.';
    }
}
