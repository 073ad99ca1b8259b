package dev.quire.core.parse;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Follows the strings of a JSON document (RFC 8259 §7) and passes their escapes to the parser
 * decoded, so that {@code <esi:include src=\"\/f\"\/>} is a tag like any other. Quotes of a tag,
 * escaped or not, neither begin nor end a string. In a document without stamps an escaped {@code <}
 * begins no tag: encoders escape it in text of users, to keep it from being markup.
 */
final class JsonStrings {

    /** The longest escape: a character beyond the basic plane, as two halves of six bytes. */
    private static final int LONGEST = 12;

    private static final int HALF = 6;
    private static final int HEX_FROM = 2;
    private static final byte[] UNPAIRED = {'?'};

    private final EsiParser parser;
    private final boolean isStamped;
    private boolean isInString;
    private final byte[] escape = new byte[LONGEST];
    private int escapeLength;

    /**
     * @param isStamped whether only stamped tags are markup
     */
    JsonStrings(EsiParser parser, boolean isStamped) {
        this.parser = parser;
        this.isStamped = isStamped;
    }

    /** Returns the number of bytes withheld because they may begin an escape. */
    int pending() {
        return escapeLength;
    }

    /** Passes on all of {@code chunk} except an incomplete escape. */
    void read(ByteBuffer chunk) {
        while (chunk.hasRemaining()) {
            if (escapeLength > 0) {
                add(chunk.get());
                continue;
            }
            int end = chunk.limit();
            int boundary = boundary(chunk);
            if (boundary > chunk.position()) {
                chunk.limit(boundary);
                parser.read(chunk);
                chunk.limit(end);
            } else if (chunk.get(boundary) == '"') {
                quote(chunk.get());
            } else if (isInString) {
                add(chunk.get());
            } else {
                pass(chunk.get());
            }
        }
    }

    /*
     * Also outside of strings, where backslashes mean nothing: a tag that is read again may turn
     * out to begin a string.
     */
    private static int boundary(ByteBuffer chunk) {
        int at = chunk.position();
        while (at < chunk.limit()) {
            byte next = chunk.get(at);
            if (next == '"' || next == '\\') {
                break;
            }
            at++;
        }
        return at;
    }

    private void quote(byte quote) {
        boolean isOfTag = parser.isInTag();
        pass(quote);
        if (!isOfTag) {
            isInString = !isInString;
            parser.inString(isInString);
        }
    }

    private void add(byte next) {
        escape[escapeLength++] = next;
        if (escapeLength == 1) {
            return;
        }
        if (escapeLength == 2) {
            simple(next);
        } else if (escapeLength <= HALF) {
            if (hexDigit(next) < 0) {
                giveUp(0);
            } else if (escapeLength == HALF) {
                basic();
            }
        } else if (escapeLength == HALF + 1 ? next != '\\' : !isOfPair(next)) {
            giveUp(HALF);
        } else if (escapeLength == LONGEST) {
            pair();
        }
    }

    private boolean isOfPair(byte next) {
        return escapeLength == HALF + 2 ? next == 'u' : hexDigit(next) >= 0;
    }

    /* Any white space becomes one space: it separates attributes but does not begin a new line. */
    private void simple(byte next) {
        switch (next) {
            case 'u' -> {}
            case '"', '\\', '/' -> decoded(new byte[] {next});
            case 'n', 'r', 't', 'f' -> decoded(new byte[] {' '});
            default -> giveUp(0);
        }
    }

    private void basic() {
        char character = character(HEX_FROM);
        if (Character.isHighSurrogate(character)) {
            return;
        }
        if (character == '<' && !isStamped && !parser.isInTag()) {
            giveUp(0);
            return;
        }
        decoded(Character.isSurrogate(character) ? UNPAIRED : utf8(String.valueOf(character)));
    }

    private void pair() {
        char high = character(HEX_FROM);
        char low = character(HALF + HEX_FROM);
        if (Character.isLowSurrogate(low)) {
            decoded(utf8(new String(new char[] {high, low})));
        } else {
            giveUp(HALF);
        }
    }

    private void decoded(byte[] decoded) {
        int length = escapeLength;
        escapeLength = 0;
        parser.readDecoded(decoded, length);
    }

    /**
     * Passes on the withheld bytes, which are not an escape.
     *
     * @param unpaired the number of leading bytes that are an unpaired surrogate
     */
    private void giveUp(int unpaired) {
        var withheld = Arrays.copyOf(escape, escapeLength);
        escapeLength = 0;
        int from = unpaired;
        if (unpaired > 0) {
            parser.readDecoded(UNPAIRED, unpaired);
        } else {
            pass(withheld[0]);
            from = 1;
        }
        read(ByteBuffer.wrap(withheld, from, withheld.length - from));
    }

    private void pass(byte same) {
        parser.read(ByteBuffer.wrap(new byte[] {same}));
    }

    private char character(int from) {
        int character = 0;
        for (int i = from; i < from + 4; i++) {
            character = 16 * character + hexDigit(escape[i]);
        }
        return (char) character;
    }

    private static int hexDigit(byte digit) {
        return digit < 0 ? -1 : Character.digit((char) digit, 16);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
