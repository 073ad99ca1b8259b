package dev.quire.it;

import static dev.quire.test.wire.internal.ErrorCode.CANCEL;
import static dev.quire.test.wire.internal.ErrorCode.ENHANCE_YOUR_CALM;
import static dev.quire.test.wire.internal.ErrorCode.PROTOCOL_ERROR;
import static dev.quire.test.wire.internal.ErrorCode.STREAM_CLOSED;

import dev.quire.test.wire.internal.ErrorCode;
import dev.quire.test.wire.internal.FieldBlock;
import dev.quire.test.wire.internal.WireFrame;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Set;

/** Many frames that cost the server work and bring the client nothing. */
@SuppressWarnings("ImmutableEnumChecker") // no frames have a state, and the set is a copy
enum Http2Flood {
    /** CVE-2023-44487. */
    RAPID_RESET(
            10_000,
            (scheme, i) -> bytes(get(scheme, i), WireFrame.reset(id(i), CANCEL)),
            ENHANCE_YOUR_CALM),

    // CVE-2025-8671: the server is made to reset.
    WINDOW_UPDATE_OF_ZERO(
            10_000,
            (scheme, i) -> bytes(get(scheme, i), WireFrame.windowUpdate(id(i), 0)),
            ENHANCE_YOUR_CALM),
    WINDOW_OVERFLOW(
            10_000,
            (scheme, i) -> bytes(get(scheme, i), WireFrame.windowUpdate(id(i), Integer.MAX_VALUE)),
            ENHANCE_YOUR_CALM),
    PRIORITY_ON_ITSELF(
            10_000,
            (scheme, i) -> bytes(get(scheme, i), WireFrame.priority(id(i), id(i))),
            ENHANCE_YOUR_CALM,
            PROTOCOL_ERROR),
    DATA_ON_HALF_CLOSED(
            10_000,
            (scheme, i) -> bytes(get(scheme, i), WireFrame.data(id(i), new byte[1], true)),
            ENHANCE_YOUR_CALM,
            STREAM_CLOSED),
    MALFORMED_FIELDS(
            10_000,
            (scheme, i) ->
                    bytes(WireFrame.headers(id(i), block("GET", scheme, "X-Upper", "1"), true)),
            ENHANCE_YOUR_CALM),
    BODY_TOO_LONG(
            10_000,
            (scheme, i) ->
                    bytes(
                            WireFrame.headers(
                                    id(i), block("POST", scheme, "content-length", "1"), false),
                            WireFrame.data(id(i), new byte[5], true)),
            ENHANCE_YOUR_CALM),

    // CVE-2024-27316.
    EMPTY_CONTINUATIONS(
            10_000,
            (scheme, i) ->
                    i == 0
                            ? openBlock(scheme)
                            : bytes(WireFrame.continuation(1, new byte[0], false)),
            ENHANCE_YOUR_CALM),
    SMALL_CONTINUATIONS(
            10_000,
            (scheme, i) ->
                    i == 0
                            ? openBlock(scheme)
                            : bytes(WireFrame.continuation(1, FieldBlock.of("a", "b"), false)),
            ENHANCE_YOUR_CALM),
    LARGE_CONTINUATIONS(
            4096,
            (scheme, i) ->
                    i == 0
                            ? openBlock(scheme)
                            : bytes(
                                    WireFrame.continuation(
                                            1, FieldBlock.of("a", "b".repeat(16_000)), false)),
            ENHANCE_YOUR_CALM,
            PROTOCOL_ERROR),

    // CVE-2019-9511 to -9518.
    SETTINGS(10_000, (scheme, i) -> bytes(WireFrame.settings(4, 65_535)), ENHANCE_YOUR_CALM),
    PINGS(10_000, (scheme, i) -> bytes(WireFrame.ping(i)), ENHANCE_YOUR_CALM),
    PRIORITIES(10_000, (scheme, i) -> bytes(WireFrame.priority(id(i), 0)), ENHANCE_YOUR_CALM),
    WINDOW_UPDATES(50_000, (scheme, i) -> bytes(WireFrame.windowUpdate(0, 1)), ENHANCE_YOUR_CALM),
    EMPTY_DATA(
            10_000,
            (scheme, i) -> bytes(i == 0 ? post(scheme) : WireFrame.data(1, new byte[0], false)),
            ENHANCE_YOUR_CALM),
    EMPTY_DATA_WITH_PADDING(
            10_000,
            (scheme, i) ->
                    bytes(
                            i == 0
                                    ? post(scheme)
                                    : WireFrame.of(
                                            WireFrame.DATA,
                                            WireFrame.PADDED,
                                            1,
                                            (byte) 1,
                                            (byte) 0)),
            ENHANCE_YOUR_CALM),
    UNKNOWN_FRAMES(10_000, (scheme, i) -> bytes(WireFrame.of(0x77, 0, 0)), ENHANCE_YOUR_CALM),
    RESET_OF_IDLE(10_000, (scheme, i) -> bytes(WireFrame.reset(id(i), CANCEL)), PROTOCOL_ERROR);

    /** The path of its requests. */
    static final String PATH = "/held";

    private final int times;
    private final Frames frames;
    private final Set<ErrorCode> ends;

    /** The frames at one position of a flood. */
    interface Frames {
        byte[] at(String scheme, int position);
    }

    Http2Flood(int times, Frames frames, ErrorCode... ends) {
        this.times = times;
        this.frames = frames;
        this.ends = Set.of(ends);
    }

    int times() {
        return times;
    }

    byte[] frames(String scheme, int position) {
        return frames.at(scheme, position);
    }

    /** The codes of GOAWAY with which a server may end it. */
    Set<ErrorCode> ends() {
        return ends;
    }

    private static int id(int position) {
        return 1 + 2 * position;
    }

    private static WireFrame get(String scheme, int position) {
        var block = block("GET", scheme, "x-number", Integer.toString(position));
        return WireFrame.headers(id(position), block, true);
    }

    private static WireFrame post(String scheme) {
        return WireFrame.headers(1, block("POST", scheme, "x-number", "0"), false);
    }

    private static byte[] openBlock(String scheme) {
        return bytes(
                WireFrame.of(
                        WireFrame.HEADERS,
                        WireFrame.END_STREAM,
                        1,
                        block("GET", scheme, "x-number", "0")));
    }

    private static byte[] block(String method, String scheme, String name, String value) {
        return new FieldBlock()
                .literal(":method", method)
                .literal(":scheme", scheme)
                .literal(":authority", "127.0.0.1")
                .literal(":path", PATH + "?" + name + "=" + value)
                .literal(name, value)
                .bytes();
    }

    private static byte[] bytes(WireFrame... frames) {
        var bytes = new ByteArrayOutputStream();
        Arrays.stream(frames).forEach(frame -> bytes.writeBytes(frame.bytes()));
        return bytes.toByteArray();
    }
}
