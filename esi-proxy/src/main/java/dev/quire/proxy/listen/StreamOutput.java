package dev.quire.proxy.listen;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2RemoteFlowController;
import io.netty.handler.codec.http2.Http2RemoteFlowController.FlowControlled;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The body of one response, as far as the client's windows have not admitted it yet. Netty's flow
 * controller calls it when they do. Confined to the connection's loop.
 */
final class StreamOutput implements FlowControlled {

    /**
     * A part of the body.
     *
     * @param gone runs once the part was sent, or never will be
     */
    private record Piece(ByteBuf bytes, @Nullable Runnable gone) {}

    private final ClientStream stream;
    private final FrameOutput out;
    private final FloodBudgets budgets;

    /** Null until the first part that waits: most bodies are sent at once. */
    private @Nullable ArrayDeque<Piece> waiting;

    /** A part that is not retained, during {@link #add(ByteBuf, int, int)}; null at other times. */
    private @Nullable ByteBuf lent;

    private int lentAt;
    private int lentBytes;

    private int size;
    private long sentBytes;
    private boolean isControlled;
    private Then then = Then.MORE;

    /** The next step behind the last part that waits. */
    private enum Then {
        MORE,
        END,
        /** A reset, as the sender of the body has broken off. */
        RESET
    }

    StreamOutput(ClientStream stream, FrameOutput out, FloodBudgets budgets) {
        this.stream = stream;
        this.out = out;
        this.budgets = budgets;
    }

    /** Bytes that the client's windows, or its connection, have not admitted. */
    int waitingBytes() {
        return size;
    }

    boolean isEmpty() {
        return !isControlled;
    }

    /** Bytes that the client's windows have admitted. */
    long sentBytes() {
        return sentBytes;
    }

    /** Bytes that the window of the stream, without that of the connection, admits now. */
    int windowBytes() {
        return controller().windowSize(stream.netty());
    }

    /** Sends a part of the body; copies or retains it only if it cannot be sent at once. */
    void add(ByteBuf from, int index, int length) {
        if (isControlled) {
            add(from.retainedSlice(index, length), null);
            return;
        }
        lent = from;
        lentAt = index;
        lentBytes = length;
        begin(length);
        stream.connection().writeWaiting();
        if (lentBytes > 0) {
            waiting().addFirst(new Piece(from.retainedSlice(lentAt, lentBytes), null));
            lentBytes = 0;
        }
        lent = null;
    }

    /**
     * Sends a part of the body; takes over one reference.
     *
     * @param gone null if not of interest
     */
    void add(ByteBuf bytes, @Nullable Runnable gone) {
        int length = bytes.readableBytes();
        waiting().add(new Piece(bytes, gone));
        if (isControlled) {
            controller().addFlowControlled(stream.netty(), new More(length));
            stream.connection().untaken().waits(length);
        } else {
            begin(length);
        }
    }

    private void begin(int length) {
        size = length;
        isControlled = true;
        stream.connection().untaken().waits(length);
        controller().addFlowControlled(stream.netty(), this);
    }

    private Http2RemoteFlowController controller() {
        return stream.connection().encoder().flowController();
    }

    /** Ends the stream behind the last part, of which at least one is waiting. */
    void endBehindLast() {
        then = Then.END;
    }

    /** Resets the stream behind the last part, of which at least one is waiting. */
    void resetBehindLast() {
        then = Then.RESET;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public void write(ChannelHandlerContext ctx, int allowedBytes) {
        int left = Math.min(allowedBytes, size);
        while (left > 0) {
            int length = Math.min(left, FrameOutput.MAX_FRAME_BYTES);
            boolean isEnd = then == Then.END && length == size && !stream.hasTrailers();
            out.data(stream.id(), length, isEnd);
            fill(length);
            size -= length;
            left -= length;
            sentBytes += length;
            stream.connection().untaken().admitted(length);
            budgets.sent(length, size == 0);
        }
        // A marker behind the last byte.
        while (size == 0 && waiting != null && !waiting.isEmpty()) {
            gone(waiting.remove());
        }
    }

    private void fill(int frameBytes) {
        int missing = frameBytes;
        if (lent != null && lentBytes > 0) {
            int length = Math.min(missing, lentBytes);
            out.add(lent, lentAt, length);
            lentAt += length;
            lentBytes -= length;
            missing -= length;
        }
        while (missing > 0) {
            var piece = waiting().element();
            var bytes = piece.bytes();
            int length = Math.min(missing, bytes.readableBytes());
            out.add(bytes, bytes.readerIndex(), length);
            bytes.skipBytes(length);
            missing -= length;
            if (!bytes.isReadable()) {
                gone(waiting().remove());
            }
        }
    }

    private ArrayDeque<Piece> waiting() {
        var parts = waiting;
        if (parts == null) {
            parts = new ArrayDeque<>(2);
            waiting = parts;
        }
        return parts;
    }

    private void gone(Piece sent) {
        sent.bytes().release();
        var gone = sent.gone();
        if (gone != null) {
            stream.connection().whenGone(gone);
        }
    }

    @Override
    public void writeComplete() {
        isControlled = false;
        switch (then) {
            case MORE -> {}
            case END -> stream.ended();
            case RESET -> stream.cancel();
        }
    }

    @Override
    public void error(ChannelHandlerContext ctx, Throwable cause) {
        isControlled = false;
        stream.connection().untaken().waits(-size);
        size = 0;
        lentBytes = 0;
        while (waiting != null && !waiting.isEmpty()) {
            var piece = waiting.remove();
            piece.bytes().release();
            var gone = piece.gone();
            if (gone != null) {
                gone.run();
            }
        }
    }

    @Override
    public boolean merge(ChannelHandlerContext ctx, FlowControlled next) {
        if (!(next instanceof More more) || Integer.MAX_VALUE - more.size() < size) {
            return false;
        }
        size += more.size();
        return true;
    }

    /** Bytes that were added to those that wait. */
    private record More(int size) implements FlowControlled {
        @Override
        public void error(ChannelHandlerContext ctx, Throwable cause) {}

        @Override
        public void write(ChannelHandlerContext ctx, int allowedBytes) {
            throw new IllegalStateException("expected to be merged");
        }

        @Override
        public void writeComplete() {}

        @Override
        public boolean merge(ChannelHandlerContext ctx, FlowControlled next) {
            return false;
        }
    }
}
