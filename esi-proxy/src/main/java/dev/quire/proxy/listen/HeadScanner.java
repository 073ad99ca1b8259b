package dev.quire.proxy.listen;

import dev.quire.core.http.FieldSyntax;
import dev.quire.proxy.config.LimitsConfig;
import dev.quire.proxy.listen.Incoming.Refused;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Scans the bytes of a request head before the decoder and stops at the first byte that strict
 * parsing by RFC 9112 §2 to §5 does not allow. Sees every byte once, in fragments of any size, and
 * holds none.
 *
 * <p>Checks only where the method, target and fields begin and end, not their meaning: all parsers
 * of these bytes must find the same lines.
 */
final class HeadScanner {
    private static final Incomplete INCOMPLETE = new Incomplete();
    private static final String VERSION = "HTTP/d.d";

    /** The result of a scan. */
    sealed interface Scan permits Incomplete, Complete, Refused {}

    /** An incomplete head, possibly empty. */
    record Incomplete() implements Scan {}

    /**
     * A complete head.
     *
     * @param bytes its length from the reader index, including the final and at most one leading
     *     empty line
     */
    record Complete(int bytes) implements Scan {}

    private enum State {
        START,
        EMPTY_LINE_LF,
        FIRST_BYTE,
        METHOD,
        TARGET_START,
        TARGET,
        QUERY,
        VERSION,
        REQUEST_LINE_LF,
        FIELD_START,
        FIELD_NAME,
        FIELD_VALUE,
        FIELD_LF,
        HEAD_LF,
        COMPLETE,
        REFUSED
    }

    private final LimitsConfig limits;
    private State state = State.START;

    /**
     * Bytes scanned since the last {@link #reset}; the next one is at the reader index plus this.
     */
    private int seen;

    private int headStart;
    private int lineStart;
    private int fields;
    private int versionBytes;

    /** The version digits so far as one number: 11 for HTTP/1.1. */
    private int version;

    private RefusalReason reason = RefusalReason.BAD_START;

    HeadScanner(LimitsConfig limits) {
        this.limits = limits;
    }

    /**
     * Continues the scan. {@code in} must begin, at its reader index, with the same bytes as
     * before. Consumes and retains nothing.
     */
    Scan scan(ByteBuf in) {
        int at = in.readerIndex() + seen;
        int end = in.writerIndex();
        while (at < end) {
            int next = behindRun(in, at, end);
            seen += next - at;
            if (next == end || !process(in.getByte(next))) {
                break;
            }
            at = next + 1;
        }
        return switch (state) {
            case COMPLETE -> new Complete(seen);
            case REFUSED -> Refused.of(reason, line(in), true);
            default -> INCOMPLETE;
        };
    }

    /**
     * Returns the end of the run of bytes from {@code at} on that cannot change the state. Most of
     * a head is such a run. Stops before the byte that would exceed a limit.
     */
    private int behindRun(ByteBuf in, int at, int end) {
        var kind =
                switch (state) {
                    case TARGET -> Grammar.PATHS;
                    case QUERY -> Grammar.QUERIES;
                    case FIELD_NAME -> Grammar.TOKENS;
                    case FIELD_VALUE -> Grammar.FIELD_VALUES;
                    default -> null;
                };
        if (kind == null) {
            return at;
        }
        int most =
                state == State.TARGET || state == State.QUERY
                        ? headStart + limits.requestLineBytes()
                        : Math.min(lineStart + limits.fieldBytes(), headStart + limits.headBytes());
        int stop = Math.min(end, in.readerIndex() + most);
        int found = stop <= at ? at : in.forEachByte(at, stop - at, kind);
        return found < 0 ? stop : found;
    }

    /** Whether any byte of an incomplete head has been scanned, other than an empty line. */
    boolean hasBegun() {
        return seen > headStart;
    }

    void reset() {
        state = State.START;
        seen = 0;
        headStart = 0;
        lineStart = 0;
        fields = 0;
        versionBytes = 0;
        version = 0;
    }

    /** Processes one byte; returns false if the scan ends. */
    private boolean process(byte value) {
        int b = value & 0xff;
        seen++;
        state =
                switch (state) {
                    case START -> start(b);
                    case EMPTY_LINE_LF -> emptyLineLf(b);
                    case FIRST_BYTE -> firstByte(b);
                    case METHOD -> method(b);
                    case TARGET_START -> targetStart(b);
                    case TARGET -> target(b);
                    case QUERY -> query(b);
                    case VERSION -> version(b);
                    case REQUEST_LINE_LF -> lineFeed(b, State.FIELD_START);
                    case FIELD_START -> fieldStart(b);
                    case FIELD_NAME -> fieldName(b);
                    case FIELD_VALUE -> fieldValue(b);
                    case FIELD_LF -> lineFeed(b, State.FIELD_START);
                    case HEAD_LF -> lineFeed(b, State.COMPLETE);
                    case COMPLETE, REFUSED ->
                            throw new IllegalStateException("expected reset() after " + state);
                };
        return state != State.COMPLETE && state != State.REFUSED;
    }

    private State start(int b) {
        if (b == '\r') {
            headStart = seen;
            return State.EMPTY_LINE_LF;
        }
        return firstByte(b);
    }

    private State emptyLineLf(int b) {
        headStart = seen;
        return lineFeed(b, State.FIRST_BYTE);
    }

    private State firstByte(int b) {
        return switch (b) {
            case '\n' -> refuse(RefusalReason.BARE_LF);
            case '\r', ' ', '\t' -> refuse(RefusalReason.BAD_START);
            default -> method(b);
        };
    }

    private State method(int b) {
        if (FieldSyntax.isTokenChar(b)) {
            return inRequestLine(State.METHOD);
        }
        return switch (b) {
            case ' ' -> State.TARGET_START;
            case '\n' -> refuse(RefusalReason.BARE_LF);
            default -> refuse(RefusalReason.BAD_REQUEST_LINE);
        };
    }

    private State targetStart(int b) {
        return b == ' ' || b == '\r' ? refuse(RefusalReason.BAD_REQUEST_LINE) : target(b);
    }

    private State target(int b) {
        if (Grammar.isVisible(b)) {
            return inRequestLine(b == '?' ? State.QUERY : State.TARGET);
        }
        return behindTarget(b);
    }

    private State query(int b) {
        return Grammar.isQuery(b) ? inRequestLine(State.QUERY) : behindTarget(b);
    }

    private State behindTarget(int b) {
        return switch (b) {
            case ' ' -> State.VERSION;
            case '\n' -> refuse(RefusalReason.BARE_LF);
            // CR: an HTTP/0.9 request has no version (RFC 1945 §4.1) and is not supported.
            default -> refuse(RefusalReason.BAD_REQUEST_LINE);
        };
    }

    private State version(int b) {
        if (b == ' ' || b == '\t') {
            return refuse(RefusalReason.BAD_REQUEST_LINE);
        }
        if (versionBytes == VERSION.length()) {
            return switch (b) {
                case '\r' -> knownVersion();
                case '\n' -> refuse(RefusalReason.BARE_LF);
                default -> refuse(RefusalReason.BAD_VERSION);
            };
        }
        char expected = VERSION.charAt(versionBytes++);
        if (expected == 'd' ? !Grammar.isDigit(b) : b != expected) {
            return refuse(RefusalReason.BAD_VERSION);
        }
        version = expected == 'd' ? version * 10 + b - '0' : version;
        return inRequestLine(State.VERSION);
    }

    private State knownVersion() {
        return switch (version) {
            case 10, 11 -> State.REQUEST_LINE_LF;
            // HTTP/0.9 requests have no version, so this is malformed, not merely old.
            case 9 -> refuse(RefusalReason.BAD_VERSION);
            default -> refuse(RefusalReason.UNSUPPORTED_VERSION);
        };
    }

    private State fieldStart(int b) {
        lineStart = seen - 1;
        if (b == '\r') {
            return State.HEAD_LF;
        }
        if (b == ' ' || b == '\t') {
            return refuse(RefusalReason.OBS_FOLD);
        }
        if (b == ':') {
            return refuse(RefusalReason.BAD_FIELD_NAME);
        }
        if (fields == limits.fields()) {
            return refuse(RefusalReason.TOO_MANY_FIELDS);
        }
        fields++;
        return fieldName(b);
    }

    private State fieldName(int b) {
        if (FieldSyntax.isTokenChar(b)) {
            return inField(State.FIELD_NAME);
        }
        return switch (b) {
            case ':' -> inField(State.FIELD_VALUE);
            case '\n' -> refuse(RefusalReason.BARE_LF);
            default -> refuse(RefusalReason.BAD_FIELD_NAME);
        };
    }

    private State fieldValue(int b) {
        if (FieldSyntax.isValueChar(b)) {
            return inField(State.FIELD_VALUE);
        }
        return switch (b) {
            case '\r' -> State.FIELD_LF;
            case '\n' -> refuse(RefusalReason.BARE_LF);
            default -> refuse(RefusalReason.BAD_FIELD_VALUE);
        };
    }

    private State lineFeed(int b, State next) {
        return b == '\n' ? next : refuse(RefusalReason.BARE_CR);
    }

    private State inRequestLine(State next) {
        return seen - headStart > limits.requestLineBytes()
                ? refuse(RefusalReason.REQUEST_LINE_TOO_LONG)
                : next;
    }

    private State inField(State next) {
        if (seen - lineStart > limits.fieldBytes()) {
            return refuse(RefusalReason.FIELD_TOO_LONG);
        }
        return seen - headStart > limits.headBytes() ? refuse(RefusalReason.HEAD_TOO_LONG) : next;
    }

    private State refuse(RefusalReason why) {
        reason = why;
        return State.REFUSED;
    }

    /** Returns the scanned start of the line in which scanning stopped. */
    private String line(ByteBuf in) {
        int from = Math.max(headStart, lineStart);
        return in.toString(
                in.readerIndex() + from, Math.min(seen - from, 64), StandardCharsets.ISO_8859_1);
    }
}
