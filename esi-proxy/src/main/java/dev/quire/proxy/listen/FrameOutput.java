package dev.quire.proxy.listen;

import dev.quire.proxy.exchange.Gathering;
import dev.quire.proxy.exchange.Hpack;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2FrameTypes;
import org.jspecify.annotations.Nullable;

/**
 * The frames of responses on one connection. Heads and short bodies of all streams are copied into
 * one buffer, which leaves with {@link #push}; long bodies are written by reference. Confined to
 * the connection's loop.
 */
final class FrameOutput {

    /** Every client accepts frames of this length (RFC 9113 §4.2). */
    static final int MAX_FRAME_BYTES = 16 * 1024;

    private static final int FRAME_HEADER_BYTES = 9;
    private static final int FLAGS_AT = 4;
    private static final int END_STREAM = 0x1;
    private static final int END_HEADERS = 0x4;

    /** The buffer leaves when it has grown to this. */
    private static final int FULL_BYTES = 16 * 1024;

    private static final int MIN_BUFFER_BYTES = 1024;
    private static final int HEAD_BYTES = 512;
    private static final int NONE = -1;

    private final Traffic traffic;
    private ChannelHandlerContext context;

    /** Null while nothing is to be pushed. */
    private @Nullable ByteBuf buffer;

    private int nextBufferBytes = MIN_BUFFER_BYTES;

    /** Where a head that has begun is in the buffer, with its frame header; else {@link #NONE}. */
    private int headAt = NONE;

    /** Where the last frame is in the buffer, if its stream may still end with it. */
    private int lastFrameAt = NONE;

    private int lastFrameStream;
    private boolean hasSentHead;

    @SuppressWarnings("NullAway.Init") // context is set when the handler is added
    FrameOutput(Traffic traffic) {
        this.traffic = traffic;
    }

    void context(ChannelHandlerContext ctx) {
        context = ctx;
    }

    /** Begins a header block; the caller writes lines to the result until {@link #endHead}. */
    ByteBuf beginHead() {
        if (headAt != NONE) {
            throw new IllegalStateException("expected no other head to be written");
        }
        var out = room(HEAD_BYTES);
        headAt = out.writerIndex();
        lastFrameAt = NONE;
        out.writeZero(FRAME_HEADER_BYTES);
        if (!hasSentHead) {
            out.writeByte(Hpack.NO_TABLE);
        }
        return out;
    }

    /** Drops the head that has begun. */
    void dropHead() {
        if (headAt != NONE && buffer != null) {
            buffer.writerIndex(headAt);
        }
        headAt = NONE;
    }

    /** Ends the head that has begun: it is a frame, or several if it is long. */
    void endHead(int stream) {
        var out = buffer;
        if (headAt == NONE || out == null) {
            throw new IllegalStateException("expected a head that has begun");
        }
        hasSentHead = true;
        int at = headAt;
        headAt = NONE;
        int length = out.writerIndex() - at - FRAME_HEADER_BYTES;
        if (length > MAX_FRAME_BYTES) {
            split(out, at, stream);
        } else {
            frameHeader(out, at, length, Http2FrameTypes.HEADERS, END_HEADERS, stream);
            lastFrameAt = at;
            lastFrameStream = stream;
        }
    }

    private void split(ByteBuf out, int at, int stream) {
        int start = at + FRAME_HEADER_BYTES;
        var block = out.copy(start, out.writerIndex() - start);
        try {
            out.writerIndex(at);
            byte type = Http2FrameTypes.HEADERS;
            while (block.isReadable()) {
                int length = Math.min(block.readableBytes(), MAX_FRAME_BYTES);
                int flags = length == block.readableBytes() ? END_HEADERS : 0;
                int frame = out.writerIndex();
                out.writeZero(FRAME_HEADER_BYTES);
                frameHeader(out, frame, length, type, flags, stream);
                out.writeBytes(block, length);
                type = Http2FrameTypes.CONTINUATION;
            }
        } finally {
            block.release();
        }
        // The flag of the end is in the first of the frames (RFC 9113 §6.2).
        lastFrameAt = at;
        lastFrameStream = stream;
    }

    /** Begins a DATA frame; its contents must follow at once. */
    void data(int stream, int length, boolean isLast) {
        var out = room(FRAME_HEADER_BYTES + Math.min(length, Gathering.MAX_COPIED_BYTES));
        int at = out.writerIndex();
        out.writeZero(FRAME_HEADER_BYTES);
        frameHeader(out, at, length, Http2FrameTypes.DATA, isLast ? END_STREAM : 0, stream);
        lastFrameAt = at;
        lastFrameStream = stream;
    }

    /** Adds contents of a frame; the indices of {@code from} do not change. */
    void add(ByteBuf from, int index, int length) {
        if (length <= Gathering.MAX_COPIED_BYTES) {
            room(length).writeBytes(from, index, length);
        } else {
            push();
            traffic.sent(length);
            context.write(from.retainedSlice(index, length), context.voidPromise());
        }
    }

    /** Ends the stream with its last frame; returns false if that has left, or was not the last. */
    boolean endWithLastFrame(int stream) {
        if (buffer == null || lastFrameAt == NONE || lastFrameStream != stream) {
            return false;
        }
        int at = lastFrameAt + FLAGS_AT;
        buffer.setByte(at, buffer.getByte(at) | END_STREAM);
        lastFrameAt = NONE;
        return true;
    }

    /** Runs {@code gone} once everything so far was sent, or never will be. */
    void whenGone(Runnable gone) {
        push();
        context.write(Unpooled.EMPTY_BUFFER).addListener(done -> gone.run());
    }

    /** Passes the buffer on, in front of whatever is written next; does not flush. */
    void push() {
        if (headAt != NONE) {
            throw new IllegalStateException("expected the end of a head");
        }
        lastFrameAt = NONE;
        var out = buffer;
        if (out == null) {
            return;
        }
        buffer = null;
        if (out.isReadable()) {
            nextBufferBytes =
                    Math.clamp(
                            Integer.highestOneBit(out.readableBytes()) * 2L,
                            MIN_BUFFER_BYTES,
                            FULL_BYTES);
            traffic.sent(out.readableBytes());
            context.write(out, context.voidPromise());
        } else {
            out.release();
        }
    }

    /** Drops what has not left. */
    void close() {
        headAt = NONE;
        lastFrameAt = NONE;
        if (buffer != null) {
            buffer.release();
            buffer = null;
        }
    }

    private ByteBuf room(int bytes) {
        if (buffer != null && headAt == NONE && buffer.readableBytes() + bytes > FULL_BYTES) {
            push();
        }
        if (buffer == null) {
            buffer = context.alloc().directBuffer(Math.max(bytes, nextBufferBytes));
        }
        return buffer;
    }

    private static void frameHeader(
            ByteBuf out, int at, int length, byte type, int flags, int stream) {
        out.setMedium(at, length);
        out.setByte(at + 3, type);
        out.setByte(at + FLAGS_AT, flags);
        out.setInt(at + 5, stream);
    }
}
