package dev.quire.proxy.listen;

import dev.quire.core.assemble.Failure;
import dev.quire.proxy.exchange.ExchangeHandler;
import dev.quire.proxy.exchange.HalfClose;
import dev.quire.proxy.exchange.Outgoing;
import dev.quire.proxy.fault.InternalErrors;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection of HTTP/2 (RFC 9113): passes its requests to exchanges, side by side, and
 * writes their responses. Responses that become ready during a read leave together. Never blocks.
 */
final class Http2Handler extends Http2ConnectionHandler implements LoopConnection {
    private static final Logger LOG = LoggerFactory.getLogger(Http2Handler.class);

    /** While draining, how long requests that are already on their way are accepted. */
    static final long LAST_CHANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private enum State {
        OPEN,
        /** GOAWAY has been written; further input is dropped. */
        CLOSING,
        CLOSED
    }

    private final FrameOutput out;
    private final FrameGate gate;
    private final FloodBudgets budgets;
    private final ClosedStreams closed;
    private final Http2Requests requests;
    private final ExchangeHandler exchanges;
    private final Arrival arrival;
    private final LoopConnections siblings;
    private final int connectionWindowBytes;
    private final UntakenBytes untaken = new UntakenBytes();

    /** Streams whose exchanges wait until the client takes more. */
    private final ArrayDeque<ClientStream> blocked = new ArrayDeque<>(2);

    private ChannelHandlerContext context;
    private State state = State.OPEN;
    private int streams;
    private boolean isReading;
    private boolean isFlushing;
    private boolean isFlushDue;
    private boolean isDraining;
    private boolean hasClientLeft;

    /** Whether the client has been told which stream is the last one. */
    private boolean hasSaidLast;

    /** Whether the rest of a frame is awaited that follows {@link #framesBefore} others. */
    private boolean isFrameAwaited;

    private int framesBefore;

    // Times on the loop's clock.
    private boolean hasBegun;
    private long quietSinceNanos;
    private long frameSinceNanos;

    @SuppressWarnings("NullAway.Init") // context is set before the first event
    Http2Handler(
            Http2Codec codec,
            RequestValidator validator,
            ExchangeHandler exchanges,
            Supplier<ConnectionRules> rules,
            Arrival arrival,
            LoopConnections siblings) {
        super(codec.decoder(), codec.encoder(), codec.settings(), true, true);
        this.out = codec.out();
        this.gate = codec.gate();
        this.budgets = codec.budgets();
        this.closed = codec.closed();
        this.connectionWindowBytes = codec.connectionWindowBytes();
        this.exchanges = exchanges;
        this.arrival = arrival;
        this.siblings = siblings;
        codec.writer().onReset(this::hasReset);
        this.requests = new Http2Requests(this, codec, validator, rules, arrival);
        decoder().frameListener(requests);
        connection().addListener(new Closings());
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
        context = ctx;
        out.context(ctx);
        super.handlerAdded(ctx);
        if (ctx.channel().isActive()) {
            begin();
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) throws Exception {
        super.channelActive(ctx);
        begin();
    }

    /** Begins, once; a connection with TLS is active before it gets this handler. */
    private void begin() throws Http2Exception {
        if (hasBegun) {
            return;
        }
        hasBegun = true;
        quietSinceNanos = now();
        siblings.opened(this);
        var windows = connection().local().flowController();
        var whole = connection().connectionStream();
        windows.incrementWindowSize(whole, connectionWindowBytes - windows.windowSize(whole));
        context.flush();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        if (message instanceof ByteBuf bytes) {
            siblings.traffic().received(bytes.readableBytes());
        }
        isReading = true;
        super.channelRead(ctx, message);
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
            throws Exception {
        if (state == State.OPEN) {
            super.decode(ctx, in, out);
        } else {
            in.skipBytes(in.readableBytes());
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        isReading = false;
        if (!gate.isInFrame()) {
            isFrameAwaited = false;
        } else if (!isFrameAwaited || gate.complete() != framesBefore) {
            isFrameAwaited = true;
            framesBefore = gate.complete();
            frameSinceNanos = now();
        }
        // As Netty's method, which would read again while reading is off.
        discardSomeReadBytes();
        ctx.fireChannelReadComplete();
        flush(ctx);
    }

    /** Reads nothing from a client that takes nothing: heads have no window that limits them. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
        ctx.channel().config().setAutoRead(ctx.channel().isWritable());
        super.channelWritabilityChanged(ctx);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
        // Without its windows a client of HTTP/2 takes nothing more: both directions are over.
        if (event instanceof ChannelInputShutdownEvent
                || event instanceof SslCloseCompletionEvent) {
            ctx.close();
        } else {
            super.userEventTriggered(ctx, event);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        if (state != State.CLOSED) {
            state = State.CLOSED;
            siblings.closed(this);
            end(ClientFailures.GONE);
        }
        try {
            super.channelInactive(ctx);
        } finally {
            out.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // A fault in the client's TLS arrives as the cause of another exception.
        if (!(cause instanceof IOException || cause.getCause() instanceof SSLException)) {
            failed(cause);
        }
        ctx.close();
    }

    private static void failed(Throwable cause) {
        InternalErrors.log(LOG, cause, "client connection failed");
    }

    ChannelHandlerContext context() {
        return context;
    }

    EventLoop loop() {
        return context.channel().eventLoop();
    }

    ByteBufAllocator alloc() {
        return context.alloc();
    }

    long now() {
        return siblings.now();
    }

    FrameOutput out() {
        return out;
    }

    FloodBudgets budgets() {
        return budgets;
    }

    ExchangeHandler exchanges() {
        return exchanges;
    }

    boolean isOpen() {
        return state == State.OPEN && context.channel().isActive();
    }

    /** Whether the connection takes more bytes. */
    boolean isWritable() {
        return context.channel().isWritable();
    }

    UntakenBytes untaken() {
        return untaken;
    }

    /** Bytes of the last frame of DATA for the stream, if that frame is incomplete; else 0. */
    int partialData(int streamId) {
        return gate.partialData(streamId);
    }

    /** Adds a stream that is told when the client takes more. */
    void blocked(ClientStream stream) {
        blocked.add(stream);
    }

    /** Writes what the client's windows allow, without flushing. */
    void writeWaiting() {
        try {
            encoder().flowController().writePendingBytes();
        } catch (Http2Exception e) {
            onError(context, true, e);
        }
    }

    /** Runs {@code gone} once everything written so far was sent, or never will be. */
    void whenGone(Runnable gone) {
        out.whenGone(gone);
    }

    /** Flushes written frames, at the latest after the current batch of reads. */
    void flush() {
        if (!isReading) {
            flush(context);
        }
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        isFlushDue = true;
        if (isFlushing) {
            return;
        }
        isFlushing = true;
        try {
            while (isFlushDue) {
                isFlushDue = false;
                writeWaiting();
                out.push();
                ctx.flush();
                unblock();
            }
        } finally {
            isFlushing = false;
        }
        closeIfOver();
    }

    private void unblock() {
        for (int left = blocked.size(); left > 0 && isWritable(); left--) {
            var stream = blocked.remove();
            if (stream.unblock()) {
                blocked.add(stream);
            }
        }
    }

    /** The client may send more of a body in place of {@code bytes} that were held. */
    void consumed(Http2Stream stream, int bytes) {
        try {
            if (decoder().flowController().consumeBytes(stream, bytes)) {
                flush();
            }
        } catch (Http2Exception e) {
            onError(context, false, e);
        }
    }

    /**
     * The end of a response has been written.
     *
     * @param isReceived whether the client has sent the whole request; if not, it need not
     */
    void ended(ClientStream stream, boolean isReceived) {
        budgets.completed();
        closeStreamLocal(stream.netty(), context.newSucceededFuture());
        if (!isReceived) {
            reset(stream, Http2Error.NO_ERROR);
        }
    }

    /** Resets the stream, and ends its exchange. */
    void reset(ClientStream stream, Http2Error error) {
        writeReset(stream.netty(), error);
        flush();
    }

    /**
     * Closes the stream at once: Netty does it only once the reset is sent, and until then passes
     * on what waits.
     */
    private void writeReset(Http2Stream stream, Http2Error error) {
        encoder().writeRstStream(context, stream.id(), error.code(), context.newPromise());
        closeStream(stream, context.newSucceededFuture());
    }

    /** A reset has been written. */
    private void hasReset(long code) {
        requests.rules().events().reset(ListenEvents.Side.SERVER, Http2Error.valueOf(code));
        if (code != Http2Error.NO_ERROR.code() && !budgets.takeReset()) {
            goAway(Http2Error.ENHANCE_YOUR_CALM, GoAwayReason.RESETS);
        }
    }

    private List<ClientStream> streams() {
        var all = new ArrayList<ClientStream>(streams);
        try {
            connection()
                    .forEachActiveStream(stream -> {
                        var known = requests.streamOf(stream);
                        if (known != null) {
                            all.add(known);
                        }
                        return true;
                    });
        } catch (Http2Exception impossible) {
            throw new IllegalStateException(impossible);
        }
        return all;
    }

    int openStreams() {
        return streams;
    }

    /** Counts a stream until it is closed. */
    void opened() {
        streams++;
    }

    /** The client has said that it opens no more streams. */
    void noMoreStreams() {
        hasClientLeft = true;
    }

    /** The client has answered a PING. */
    void ponged() {
        if (isDraining) {
            sayLast();
        }
    }

    private void end(Failure failure) {
        streams().forEach(stream -> stream.gone(failure));
    }

    /** Ends the connection: all streams, at once. */
    private void goAway(Http2Error error, GoAwayReason reason) {
        if (state != State.OPEN) {
            return;
        }
        state = State.CLOSING;
        if (!isDraining) {
            requests.rules().events().goAway(reason);
        }
        writeGoAway(connection().remote().lastStreamCreated(), error);
        end(ClientFailures.GONE);
        closeGently();
    }

    private void writeGoAway(int lastStream, Http2Error error) {
        encoder()
                .frameWriter()
                .writeGoAway(
                        context,
                        lastStream,
                        error.code(),
                        Unpooled.EMPTY_BUFFER,
                        context.newPromise());
    }

    @Override
    public Arrival arrival() {
        return arrival;
    }

    /** Accepts requests that are on their way, says which is the last one, and then closes. */
    @Override
    public void drain(GoAwayReason reason) {
        if (isDraining || state != State.OPEN) {
            return;
        }
        isDraining = true;
        requests.rules().events().goAway(reason);
        writeGoAway(Integer.MAX_VALUE, Http2Error.NO_ERROR);
        // Its answer follows all requests that were sent before the client knew.
        encoder().writePing(context, false, 0, context.newPromise());
        flush();
        loop().schedule(this::sayLast, LAST_CHANCE_NANOS, TimeUnit.NANOSECONDS);
    }

    private void sayLast() {
        if (hasSaidLast || !isOpen()) {
            return;
        }
        hasSaidLast = true;
        goAway(
                context,
                connection().remote().lastStreamCreated(),
                Http2Error.NO_ERROR.code(),
                Unpooled.EMPTY_BUFFER,
                context.newPromise());
        flush();
    }

    private void closeIfOver() {
        if (state != State.OPEN || streams > 0) {
            return;
        }
        if (hasSaidLast) {
            state = State.CLOSING;
            closeGently();
        } else if (hasClientLeft) {
            goAway(Http2Error.NO_ERROR, GoAwayReason.CLIENT);
        } else if (requests.hasAsked() && !isDraining && requests.rules().keepAliveNanos() == 0) {
            goAway(Http2Error.NO_ERROR, GoAwayReason.IDLE);
        }
    }

    /**
     * Closes after the client could read GOAWAY: closing while it sends would reset the connection.
     */
    private void closeGently() {
        out.push();
        context.writeAndFlush(Unpooled.EMPTY_BUFFER)
                .addListener(sent -> HalfClose.thenClose(context.channel()));
    }

    @Override
    public void end() {
        streams().forEach(ClientStream::closeTunnel);
        goAway(Http2Error.NO_ERROR, GoAwayReason.DRAIN);
    }

    @Override
    public void check(long nowNanos) {
        if (state == State.CLOSED) {
            return;
        }
        long pending = Outgoing.pendingBytes(context.channel());
        if (untaken.check(pending, nowNanos, requests.rules().writeStallNanos())) {
            context.close();
            return;
        }
        if (state == State.CLOSING) {
            return;
        }
        if (isFrameAwaited && nowNanos - frameSinceNanos > requests.rules().headNanos()) {
            goAway(Http2Error.PROTOCOL_ERROR, GoAwayReason.FRAME_TIMEOUT);
        } else if (streams == 0 && nowNanos - quietSinceNanos > idleNanos()) {
            goAway(Http2Error.NO_ERROR, GoAwayReason.IDLE);
        } else if (streams > 0) {
            streams().forEach(stream -> stream.check(nowNanos, requests.rules()));
            flush();
        }
    }

    /** The idle timeout; keep-alive does not apply before the first request. */
    private long idleNanos() {
        return requests.hasAsked()
                ? requests.rules().keepAliveNanos()
                : Math.max(requests.rules().headNanos(), requests.rules().keepAliveNanos());
    }

    @Override
    protected void onConnectionError(
            ChannelHandlerContext ctx,
            boolean outbound,
            Throwable cause,
            @Nullable Http2Exception embedded) {
        if (embedded instanceof FloodException flood) {
            goAway(flood.error(), flood.reason());
        } else if (embedded != null) {
            LOG.debug("malformed HTTP/2: {}", embedded.getMessage());
            goAway(embedded.error(), GoAwayReason.PROTOCOL_ERROR);
        } else {
            if (!(cause instanceof IOException)) {
                failed(cause);
            }
            goAway(Http2Error.INTERNAL_ERROR, GoAwayReason.PROTOCOL_ERROR);
        }
    }

    @Override
    protected void onStreamError(
            ChannelHandlerContext ctx,
            boolean outbound,
            Throwable cause,
            Http2Exception.StreamException error) {
        var stream = connection().stream(error.streamId());
        var known = requests.streamOf(stream);
        if (error instanceof Http2Exception.HeaderListSizeException tooLong
                && tooLong.duringDecode()
                && stream == null
                && !connection().streamMayHaveExisted(error.streamId())) {
            requests.headTooLong(error.streamId());
            return;
        }
        if (known != null) {
            known.gone(ClientFailures.NO_BODY);
        }
        if (stream != null) {
            writeReset(stream, error.error());
        } else {
            encoder().writeRstStream(ctx, error.streamId(), error.error().code(), ctx.newPromise());
        }
    }

    /** Counts the streams that are not closed. */
    private final class Closings extends Http2ConnectionAdapter {
        @Override
        public void onStreamClosed(Http2Stream stream) {
            closed.add(stream.id(), stream.isResetSent());
            if (stream.isResetSent()) {
                budgets.mayArrive();
            }
            var known = requests.streamOf(stream);
            if (known != null) {
                streams--;
                quietSinceNanos = now();
                known.gone(ClientFailures.GONE);
            }
        }
    }
}
