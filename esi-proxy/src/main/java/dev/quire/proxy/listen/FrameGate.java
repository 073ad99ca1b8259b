package dev.quire.proxy.listen;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2FrameReader;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes complete frames of a client to Netty's reader one by one, unless there are too many of
 * their kind, and then checks what Netty accepts against RFC 9113 §5.1. Confined to the
 * connection's loop.
 */
final class FrameGate implements Http2FrameReader {

    /** Frames of CONTINUATION for one header block (CVE-2024-27316). */
    static final int MAX_CONTINUATIONS = 8;

    private static final int HEADER_BYTES = 9;
    private static final int END_STREAM = 0x1;
    private static final int ACK = 0x1;
    private static final int END_HEADERS = 0x4;
    private static final int PADDED = 0x8;
    private static final byte PRIORITY_UPDATE = 0x10;

    private final Http2FrameReader reader;
    private final Http2Connection connection;
    private final ClosedStreams closed;
    private final FloodBudgets budgets;
    private final LongSupplier clock;
    private int continuations;
    private boolean isInBlock;
    private boolean isBlockLast;
    private boolean isPartial;
    private int complete;

    /** The stream of a frame of DATA that is incomplete, and its bytes so far; 0 without one. */
    private int partialStream;

    private int partialBytes;

    // The listener of Netty's decoder changes with the first SETTINGS.
    private @Nullable Http2FrameListener listener;
    private @Nullable Http2FrameListener checking;

    FrameGate(
            Http2FrameReader reader,
            Http2Connection connection,
            ClosedStreams closed,
            FloodBudgets budgets,
            LongSupplier clock) {
        this.reader = reader;
        this.connection = connection;
        this.closed = closed;
        this.budgets = budgets;
        this.clock = clock;
    }

    /**
     * Whether the preface, a header block, or a frame other than DATA has begun and is incomplete.
     * The body that DATA belongs to has limits of its own.
     */
    boolean isInFrame() {
        return isPartial || isInBlock || complete == 0;
    }

    /** Bytes of the last frame of DATA for the stream, if that frame is incomplete; else 0. */
    int partialData(int streamId) {
        return streamId == partialStream ? partialBytes : 0;
    }

    /** The number of header blocks and other frames so far, which may overflow. */
    int complete() {
        return complete;
    }

    /** Whether the last header block is the whole request. */
    boolean isBlockLast() {
        return isBlockLast;
    }

    @Override
    public void readFrame(ChannelHandlerContext ctx, ByteBuf in, Http2FrameListener to)
            throws Http2Exception {
        partialStream = 0;
        while (in.isReadable()) {
            int start = in.readerIndex();
            if (in.readableBytes() < HEADER_BYTES) {
                isPartial = true;
                return;
            }
            int length = in.getUnsignedMedium(start);
            boolean isTooLong = length > reader.configuration().frameSizePolicy().maxFrameSize();
            if (!isTooLong && in.readableBytes() < HEADER_BYTES + length) {
                isPartial = in.getByte(start + 3) != Http2FrameTypes.DATA;
                if (!isPartial) {
                    partialStream = in.getInt(start + 5) & Integer.MAX_VALUE;
                    partialBytes = in.readableBytes() - HEADER_BYTES;
                }
                return;
            }
            isPartial = false;
            count(in, start, length);
            if (!isInBlock) {
                complete++;
            }
            int written = in.writerIndex();
            if (!isTooLong) {
                in.writerIndex(start + HEADER_BYTES + length);
            }
            try {
                reader.readFrame(ctx, in, checking(to));
            } finally {
                in.writerIndex(written);
            }
        }
    }

    private void count(ByteBuf in, int start, int length) throws Http2Exception {
        byte type = in.getByte(start + 3);
        int flags = in.getUnsignedByte(start + 4);
        switch (type) {
            case Http2FrameTypes.DATA -> {
                if (isEmpty(in, start, length, flags)) {
                    take(FloodBudgets.Kind.EMPTY_DATA, GoAwayReason.EMPTY_DATA);
                }
            }
            case Http2FrameTypes.HEADERS -> {
                continuations = 0;
                isInBlock = (flags & END_HEADERS) == 0;
                isBlockLast = (flags & END_STREAM) != 0;
            }
            case Http2FrameTypes.CONTINUATION -> {
                continuations++;
                isInBlock = (flags & END_HEADERS) == 0;
                if (continuations > MAX_CONTINUATIONS) {
                    throw new FloodException(GoAwayReason.CONTINUATION);
                }
            }
            case Http2FrameTypes.SETTINGS -> {
                take(
                        (flags & ACK) == 0 ? FloodBudgets.Kind.SETTINGS : FloodBudgets.Kind.OTHER,
                        GoAwayReason.SETTINGS);
            }
            case Http2FrameTypes.PING -> take(FloodBudgets.Kind.PING, GoAwayReason.PING);
            case Http2FrameTypes.PRIORITY, PRIORITY_UPDATE ->
                    take(FloodBudgets.Kind.PRIORITY, GoAwayReason.PRIORITY);
            case Http2FrameTypes.WINDOW_UPDATE ->
                    take(FloodBudgets.Kind.WINDOW_UPDATE, GoAwayReason.WINDOW_UPDATE);
            case Http2FrameTypes.RST_STREAM -> {
                if (!budgets.takeReset()) {
                    throw new FloodException(GoAwayReason.RESETS);
                }
            }
            default -> take(FloodBudgets.Kind.OTHER, GoAwayReason.OTHER_FRAMES);
        }
    }

    /** Whether a frame of DATA has no contents but padding, and does not end its stream. */
    private static boolean isEmpty(ByteBuf in, int start, int length, int flags) {
        if ((flags & END_STREAM) != 0) {
            return false;
        }
        if ((flags & PADDED) == 0 || length == 0) {
            return length == 0;
        }
        return in.getUnsignedByte(start + HEADER_BYTES) + 1 >= length;
    }

    private void take(FloodBudgets.Kind kind, GoAwayReason reason) throws Http2Exception {
        if (!budgets.take(kind, clock.getAsLong())) {
            throw new FloodException(reason);
        }
    }

    @SuppressWarnings("ReferenceEquality") // Compared for each frame.
    private Http2FrameListener checking(Http2FrameListener to) {
        var known = checking;
        if (known == null || listener != to) {
            known = new Checks(to);
            listener = to;
            checking = known;
        }
        return known;
    }

    /** Checks the states of streams before Netty does. */
    private final class Checks extends Http2FrameListenerDecorator {
        Checks(Http2FrameListener to) {
            super(to);
        }

        @Override
        public void onHeadersRead(
                ChannelHandlerContext ctx,
                int streamId,
                Http2Headers headers,
                int padding,
                boolean endOfStream)
                throws Http2Exception {
            if (isExpected(streamId)) {
                super.onHeadersRead(ctx, streamId, headers, padding, endOfStream);
            }
        }

        @Override
        public void onHeadersRead(
                ChannelHandlerContext ctx,
                int streamId,
                Http2Headers headers,
                int streamDependency,
                short weight,
                boolean exclusive,
                int padding,
                boolean endOfStream)
                throws Http2Exception {
            // Priorities are ignored, like all fields that carry them (RFC 9113 §5.3.2).
            onHeadersRead(ctx, streamId, headers, padding, endOfStream);
        }

        /** Whether headers may arrive on the stream; false if they are ignored. */
        private boolean isExpected(int streamId) throws Http2Exception {
            var stream = connection.stream(streamId);
            if (stream != null) {
                if (stream.state() == Http2Stream.State.HALF_CLOSED_REMOTE
                        && !stream.isResetSent()) {
                    throw Http2Exception.streamError(
                            streamId, Http2Error.STREAM_CLOSED, "HEADERS after END_STREAM");
                }
                return true;
            }
            if (!connection.streamMayHaveExisted(streamId)) {
                return true;
            }
            return switch (closed.past(streamId)) {
                case RESET -> {
                    take(FloodBudgets.Kind.OTHER, GoAwayReason.OTHER_FRAMES);
                    yield false;
                }
                case ENDED ->
                        throw Http2Exception.connectionError(
                                Http2Error.STREAM_CLOSED, "HEADERS on closed stream %d", streamId);
                case UNKNOWN ->
                        throw Http2Exception.connectionError(
                                Http2Error.PROTOCOL_ERROR, "stream %d is too low", streamId);
            };
        }

        @Override
        public int onDataRead(
                ChannelHandlerContext ctx,
                int streamId,
                ByteBuf data,
                int padding,
                boolean endOfStream)
                throws Http2Exception {
            if (connection.stream(streamId) == null
                    && closed.past(streamId) == ClosedStreams.Past.RESET) {
                if (!budgets.takeLate(data.readableBytes() + padding)) {
                    throw Http2Exception.connectionError(
                            Http2Error.FLOW_CONTROL_ERROR,
                            "more than the window of stream %d",
                            streamId);
                }
                connection
                        .local()
                        .flowController()
                        .receiveFlowControlledFrame(null, data, padding, endOfStream);
                return data.readableBytes() + padding;
            }
            return super.onDataRead(ctx, streamId, data, padding, endOfStream);
        }

        @Override
        public void onPriorityRead(
                ChannelHandlerContext ctx,
                int streamId,
                int streamDependency,
                short weight,
                boolean exclusive) {}

        @Override
        public void onUnknownFrame(
                ChannelHandlerContext ctx,
                byte frameType,
                int streamId,
                Http2Flags flags,
                ByteBuf payload) {}
    }

    @Override
    public Configuration configuration() {
        return reader.configuration();
    }

    @Override
    public void close() {
        reader.close();
    }
}
