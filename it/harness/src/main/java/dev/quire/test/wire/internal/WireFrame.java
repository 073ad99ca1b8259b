package dev.quire.test.wire.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One frame of HTTP/2 (RFC 9113 §4.1). Creates any frame, also invalid ones: nothing is checked.
 * Immutable.
 */
public final class WireFrame {
    public static final int DATA = 0;
    public static final int HEADERS = 1;
    public static final int PRIORITY = 2;
    public static final int RST_STREAM = 3;
    public static final int SETTINGS = 4;
    public static final int PUSH_PROMISE = 5;
    public static final int PING = 6;
    public static final int GOAWAY = 7;
    public static final int WINDOW_UPDATE = 8;
    public static final int CONTINUATION = 9;

    public static final int ACK = 0x1;
    public static final int END_STREAM = 0x1;
    public static final int END_HEADERS = 0x4;
    public static final int PADDED = 0x8;
    public static final int WITH_PRIORITY = 0x20;

    private static final int HEAD_BYTES = 9;
    private static final String[] NAMES = {
        "DATA",
        "HEADERS",
        "PRIORITY",
        "RST_STREAM",
        "SETTINGS",
        "PUSH_PROMISE",
        "PING",
        "GOAWAY",
        "WINDOW_UPDATE",
        "CONTINUATION"
    };

    private final int type;
    private final int flags;
    private final int stream;
    private final byte[] payload;

    private WireFrame(int type, int flags, int stream, byte[] payload) {
        this.type = type;
        this.flags = flags;
        this.stream = stream;
        this.payload = payload;
    }

    public static WireFrame of(int type, int flags, int stream, byte... payload) {
        return new WireFrame(type, flags, stream, payload.clone());
    }

    public static WireFrame data(int stream, byte[] bytes, boolean isLast) {
        return of(DATA, isLast ? END_STREAM : 0, stream, bytes);
    }

    /** A complete block of fields. */
    public static WireFrame headers(int stream, byte[] block, boolean isLast) {
        return of(HEADERS, END_HEADERS | (isLast ? END_STREAM : 0), stream, block);
    }

    public static WireFrame continuation(int stream, byte[] block, boolean isEnd) {
        return of(CONTINUATION, isEnd ? END_HEADERS : 0, stream, block);
    }

    /**
     * A new parent and the least weight.
     *
     * @param parent the stream that {@code stream} depends on
     */
    public static WireFrame priority(int stream, int parent) {
        return of(PRIORITY, 0, stream, ByteBuffer.allocate(5).putInt(parent).array());
    }

    public static WireFrame reset(int stream, ErrorCode code) {
        return of(RST_STREAM, 0, stream, fourBytes(code.number()));
    }

    /**
     * Settings.
     *
     * @param pairs identifiers and values alternating
     */
    public static WireFrame settings(long... pairs) {
        var payload = ByteBuffer.allocate(pairs.length * 3);
        for (int i = 0; i < pairs.length; i += 2) {
            payload.putShort((short) pairs[i]).putInt((int) pairs[i + 1]);
        }
        return of(SETTINGS, 0, 0, payload.array());
    }

    public static WireFrame settingsAck() {
        return of(SETTINGS, ACK, 0);
    }

    public static WireFrame ping(long data) {
        return of(PING, 0, 0, ByteBuffer.allocate(8).putLong(data).array());
    }

    public static WireFrame goAway(int lastStream, ErrorCode code) {
        return of(
                GOAWAY,
                0,
                0,
                ByteBuffer.allocate(8).putInt(lastStream).putInt(code.number()).array());
    }

    /**
     * A larger window.
     *
     * @param stream 0 for the connection
     */
    public static WireFrame windowUpdate(int stream, long increment) {
        return of(WINDOW_UPDATE, 0, stream, fourBytes(increment));
    }

    private static byte[] fourBytes(long value) {
        return ByteBuffer.allocate(4).putInt((int) value).array();
    }

    /** Waits for the next frame; null if the connection has ended before it. */
    static @Nullable WireFrame read(InputStream in) throws IOException {
        var head = in.readNBytes(HEAD_BYTES);
        if (head.length == 0) {
            return null;
        }
        if (head.length < HEAD_BYTES) {
            throw new EOFException("the connection ended inside the head of a frame");
        }
        var fields = ByteBuffer.wrap(head);
        int lengthAndType = fields.getInt();
        int length = lengthAndType >>> 8;
        int flags = fields.get() & 0xff;
        int stream = fields.getInt() & Integer.MAX_VALUE;
        var payload = in.readNBytes(length);
        if (payload.length < length) {
            throw new EOFException("the connection ended inside a frame");
        }
        return new WireFrame(lengthAndType & 0xff, flags, stream, payload);
    }

    public int type() {
        return type;
    }

    public int stream() {
        return stream;
    }

    public boolean has(int flag) {
        return (flags & flag) != 0;
    }

    public int length() {
        return payload.length;
    }

    /** The four bytes at {@code offset} of the payload. */
    public int number(int offset) {
        return ByteBuffer.wrap(payload).getInt(offset);
    }

    /** The payload without padding, and without the priority of HEADERS. */
    byte[] content() {
        int start = 0;
        int end = payload.length;
        if (has(PADDED) && (type == DATA || type == HEADERS)) {
            start = 1;
            end -= payload[0] & 0xff;
        }
        if (has(WITH_PRIORITY) && type == HEADERS) {
            start += 5;
        }
        return Arrays.copyOfRange(payload, start, end);
    }

    byte[] payload() {
        return payload.clone();
    }

    /** The frame as it is sent. */
    public byte[] bytes() {
        var bytes = new ByteArrayOutputStream(HEAD_BYTES + payload.length);
        bytes.writeBytes(
                ByteBuffer.allocate(HEAD_BYTES)
                        .putInt((payload.length << 8) | type)
                        .put((byte) flags)
                        .putInt(stream)
                        .array());
        bytes.writeBytes(payload);
        return bytes.toByteArray();
    }

    @Override
    public String toString() {
        var name = type < NAMES.length ? NAMES[type] : "type " + type;
        var text = "%s of stream %d, flags %02x, %d bytes".formatted(name, stream, flags, length());
        return switch (type) {
            case RST_STREAM -> text + ", " + ErrorCode.of(number(0));
            case GOAWAY -> {
                var why = new String(payload, 8, payload.length - 8, UTF_8);
                yield "%s, last stream %d, %s %s"
                        .formatted(text, number(0), ErrorCode.of(number(4)), why);
            }
            default -> text;
        };
    }
}
