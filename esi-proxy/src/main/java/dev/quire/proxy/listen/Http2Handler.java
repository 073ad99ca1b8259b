package dev.quire.proxy.listen;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.Scheme;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.ExchangeHandler;
import dev.quire.proxy.exchange.RequestId;
import dev.quire.proxy.listen.Incoming.Refused;
import dev.quire.proxy.listen.Incoming.Sound;
import dev.quire.proxy.listen.Incoming.ValidationResult;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2EventAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection of HTTP/2 (RFC 9113): passes its requests to exchanges, side by side, and
 * writes their responses. Responses that become ready during a read leave together. Never blocks.
 */
final class Http2Handler extends Http2ConnectionHandler implements ClientConnection {
    private static final Logger LOG = LoggerFactory.getLogger(Http2Handler.class);
    private static final long GENTLE_CLOSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** While draining, how long requests that are already on their way are accepted. */
    private static final long LAST_CHANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Responses wait for the client once so much of all bodies waits for its windows. */
    private static final long MAX_WAITING_BYTES = 1 << 20;

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
    private final RequestValidator validator;
    private final ExchangeHandler exchanges;
    private final Supplier<ConnectionRules> currentRules;
    private final Arrival arrival;
    private final LoopConnections siblings;
    private final Http2Connection.PropertyKey key;
    private final int connectionWindowBytes;

    /** Streams whose exchanges wait until the client takes more. */
    private final ArrayDeque<ClientStream> blocked = new ArrayDeque<>(2);

    private ConnectionRules rules;
    private Exchange.Peer peer;
    private ChannelHandlerContext context;
    private State state = State.OPEN;
    private int streams;
    private long waitingBytes;
    private boolean hasAsked;
    private boolean isReading;
    private boolean isFlushing;
    private boolean isFlushDue;
    private boolean isDraining;
    private boolean hasSaidLast;
    private boolean isInputEnded;
    private boolean isFrameAwaited;

    // Times on the loop's clock.
    private long quietSinceNanos;
    private long frameSinceNanos;
    private long pendingBytes;
    private long pendingSinceNanos;

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
        this.validator = validator;
        this.exchanges = exchanges;
        this.currentRules = rules;
        this.arrival = arrival;
        this.rules = rules.get();
        this.peer = this.rules.peer(arrival);
        this.siblings = siblings;
        this.key = connection().newKey();
        codec.writer().onReset(this::hasReset);
        decoder().frameListener(new Frames());
        connection().addListener(new Closings());
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
        context = ctx;
        out.context(ctx);
        super.handlerAdded(ctx);
        if (ctx.channel().isActive()) {
            siblings.opened(this);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) throws Exception {
        quietSinceNanos = now();
        siblings.opened(this);
        super.channelActive(ctx);
        var windows = connection().local().flowController();
        var whole = connection().connectionStream();
        windows.incrementWindowSize(whole, connectionWindowBytes - windows.windowSize(whole));
        ctx.flush();
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
    public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
        isReading = false;
        if (!gate.isInFrame()) {
            isFrameAwaited = false;
        } else if (!isFrameAwaited) {
            isFrameAwaited = true;
            frameSinceNanos = now();
        }
        super.channelReadComplete(ctx);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
        if (event instanceof ChannelInputShutdownEvent) {
            isInputEnded = true;
            if (state == State.CLOSING || streams == 0) {
                ctx.close();
            }
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
        if (!(cause instanceof IOException)) {
            failed(cause);
        }
        ctx.close();
    }

    private static void failed(Throwable cause) {
        LOG.atError()
                .addKeyValue("event", "internal-error")
                .setCause(cause)
                .log("client connection failed");
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

    /** Whether the client takes more of any response. */
    boolean isWritable() {
        return waitingBytes < MAX_WAITING_BYTES && context.channel().isWritable();
    }

    /** Counts bytes that wait for the client's windows. */
    void waits(int moreBytes) {
        waitingBytes += moreBytes;
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

    /** Resets the stream. */
    void reset(ClientStream stream, Http2Error error) {
        encoder().writeRstStream(context, stream.id(), error.code(), context.newPromise());
        flush();
    }

    /** A reset has been written. */
    private void hasReset(long code) {
        rules.events().reset(ListenEvents.Side.SERVER, Http2Error.valueOf(code));
        if (code != Http2Error.NO_ERROR.code() && !budgets.takeReset()) {
            goAway(Http2Error.ENHANCE_YOUR_CALM, GoAwayReason.RESETS);
        }
    }

    private @Nullable ClientStream streamOf(@Nullable Http2Stream stream) {
        return stream == null ? null : stream.getProperty(key);
    }

    private List<ClientStream> streams() {
        var all = new ArrayList<ClientStream>(streams);
        try {
            connection()
                    .forEachActiveStream(stream -> {
                        var known = streamOf(stream);
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

    private void end(Failure failure) {
        streams().forEach(stream -> stream.gone(failure));
    }

    /** Ends the connection: all streams, at once. */
    private void goAway(Http2Error error, GoAwayReason reason) {
        if (state != State.OPEN) {
            return;
        }
        state = State.CLOSING;
        rules.events().goAway(reason);
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

    /** Accepts requests that are on their way, says which is the last one, and then closes. */
    @Override
    public Arrival arrival() {
        return arrival;
    }

    @Override
    public void drain() {
        if (isDraining || state != State.OPEN) {
            return;
        }
        isDraining = true;
        rules.events().goAway(GoAwayReason.DRAIN);
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
        } else if (hasAsked && !isDraining && rules.keepAliveNanos() == 0) {
            goAway(Http2Error.NO_ERROR, GoAwayReason.IDLE);
        } else if (isInputEnded) {
            context.close();
        }
    }

    /**
     * Closes after the client could read GOAWAY: closing while it sends would reset the connection.
     */
    private void closeGently() {
        out.push();
        context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> shutOutput());
    }

    private void shutOutput() {
        var channel = context.channel();
        if (!channel.isActive()) {
            return;
        }
        boolean isPlain = context.pipeline().get(SslHandler.class) == null;
        if (isInputEnded || (isPlain && !(channel instanceof DuplexChannel))) {
            context.close();
            return;
        }
        if (isPlain) {
            ((DuplexChannel) channel).shutdownOutput();
        }
        loop().schedule(
                        () -> {
                            context.close();
                        },
                        GENTLE_CLOSE_NANOS,
                        TimeUnit.NANOSECONDS);
    }

    @Override
    public void closeTunnel() {}

    @Override
    public void check(long nowNanos) {
        if (state != State.OPEN) {
            return;
        }
        long pending = pendingOutgoingBytes();
        if (pending == 0 || pending != pendingBytes) {
            pendingBytes = pending;
            pendingSinceNanos = nowNanos;
        } else if (nowNanos - pendingSinceNanos > rules.writeStallNanos()) {
            context.close();
            return;
        }
        if (isFrameAwaited && nowNanos - frameSinceNanos > rules.headNanos()) {
            goAway(Http2Error.PROTOCOL_ERROR, GoAwayReason.FRAME_TIMEOUT);
        } else if (streams == 0 && nowNanos - quietSinceNanos > idleNanos()) {
            goAway(Http2Error.NO_ERROR, GoAwayReason.IDLE);
        } else if (streams > 0) {
            streams().forEach(stream -> stream.check(nowNanos, rules));
            flush();
        }
    }

    /** The idle timeout; keep-alive does not apply before the first request. */
    private long idleNanos() {
        return hasAsked
                ? rules.keepAliveNanos()
                : Math.max(rules.headNanos(), rules.keepAliveNanos());
    }

    private long pendingOutgoingBytes() {
        var outgoing = context.channel().unsafe().outboundBuffer();
        return outgoing == null ? 0 : outgoing.totalPendingWriteBytes();
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
        var known = streamOf(stream);
        if (error instanceof Http2Exception.HeaderListSizeException tooLong
                && tooLong.duringDecode()
                && stream == null
                && !connection().streamMayHaveExisted(error.streamId())) {
            headTooLong(error.streamId());
            return;
        }
        encoder().writeRstStream(ctx, error.streamId(), error.error().code(), ctx.newPromise());
        if (known != null) {
            known.gone(ClientFailures.NO_BODY);
        }
    }

    /** The list of fields was decoded and dropped: the connection can go on. */
    private void headTooLong(int streamId) {
        try {
            var stream = connection().remote().createStream(streamId, gate.isBlockLast());
            var unknown = new RefusedRequest(RefusedRequest.UNKNOWN.head(), RefusedRequest.HTTP_2);
            begin(
                    stream,
                    new Refused(RefusalReason.HEAD_TOO_LONG, "", true, unknown),
                    gate.isBlockLast(),
                    false);
        } catch (Http2Exception e) {
            onError(context, false, e);
        }
    }

    /** Rules that have changed apply from the next request on. */
    @SuppressWarnings("ReferenceEquality") // Compared for each request.
    private void takeRules() {
        var newest = currentRules.get();
        if (newest != rules) {
            rules = newest;
            peer = newest.peer(arrival);
        }
    }

    private void begin(
            Http2Stream netty, ValidationResult result, boolean isReceived, boolean isHead)
            throws Http2Exception {
        if (streams >= rules.settings().http2().streams()) {
            throw Http2Exception.streamError(
                    netty.id(), Http2Error.REFUSED_STREAM, "too many streams");
        }
        hasAsked = true;
        if (result instanceof Refused malformed && malformed.reason().isMalformedHttp2()) {
            report(malformed);
            throw Http2Exception.streamError(
                    netty.id(), Http2Error.PROTOCOL_ERROR, malformed.reason().name());
        }
        var stream = new ClientStream(this, netty, isHead, isReceived);
        netty.setProperty(key, stream);
        streams++;
        rules.events().streamOpened();
        switch (result) {
            case Sound sound -> stream.begin(sound, rules, peer);
            case Refused refused -> stream.refuse(refused, rules, peer);
        }
    }

    private void report(Refused refused) {
        rules.report(
                refused,
                RequestId.of(refused.request().head(), peer.isTrusted()),
                peer,
                new Refusal.Response(0, 0, 0));
    }

    private Http2Exception malformed(ClientStream stream, RefusalReason reason) {
        var request = new RefusedRequest(RefusedRequest.UNKNOWN.head(), RefusedRequest.HTTP_2);
        report(new Refused(reason, "", true, request));
        return Http2Exception.streamError(stream.id(), Http2Error.PROTOCOL_ERROR, reason.name());
    }

    /** Receives the frames that Netty has found valid for the states of their streams. */
    private final class Frames extends Http2EventAdapter {
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
            if (!(headers instanceof RequestLines lines)) {
                throw new IllegalStateException("expected the lists of this codec");
            }
            var netty = connection().stream(streamId);
            var known = streamOf(netty);
            if (known == null) {
                takeRules();
                begin(netty, checked(lines, endOfStream), endOfStream, lines.isHead());
            } else if (Http2Head.trailerFault(lines) != null) {
                throw malformed(known, RefusalReason.BAD_TRAILERS);
            } else if (!known.received()) {
                throw malformed(known, RefusalReason.BAD_CONTENT_LENGTH);
            }
        }

        private ValidationResult checked(RequestLines lines, boolean isReceived) {
            var reader = new Http2Head.Reader(lines, rules.limits());
            var fault = reader.fault();
            var head = reader.head();
            if (head != null) {
                var result = validator.check(head, isReceived, peer.isTrusted());
                if (!(result instanceof Refused refused)) {
                    return result;
                }
                fault = refused;
            }
            if (fault == null) {
                throw new IllegalStateException("expected a head or a fault");
            }
            return fault.of(RefusedRequest.of(lines, Scheme.HTTP));
        }

        @Override
        public int onDataRead(
                ChannelHandlerContext ctx,
                int streamId,
                ByteBuf data,
                int padding,
                boolean endOfStream)
                throws Http2Exception {
            var stream = streamOf(connection().stream(streamId));
            if (stream == null) {
                return data.readableBytes() + padding;
            }
            int taken = stream.data(data);
            if (taken < 0 || (endOfStream && !stream.received())) {
                throw malformed(stream, RefusalReason.BAD_CONTENT_LENGTH);
            }
            return taken + padding;
        }

        @Override
        public void onRstStreamRead(ChannelHandlerContext ctx, int streamId, long errorCode) {
            rules.events().reset(ListenEvents.Side.CLIENT, Http2Error.valueOf(errorCode));
            var stream = streamOf(connection().stream(streamId));
            if (stream != null) {
                stream.gone(ClientFailures.GONE);
            }
        }

        @Override
        public void onGoAwayRead(
                ChannelHandlerContext ctx, int lastStreamId, long errorCode, ByteBuf debugData) {
            // What the client has asked for is answered; it opens no more streams.
            hasSaidLast = true;
        }

        @Override
        public void onSettingsAckRead(ChannelHandlerContext ctx) {
            // Netty refuses further streams before it knows their numbers, which breaks the
            // connection if they have bodies. This class refuses them.
            connection().remote().maxActiveStreams(Integer.MAX_VALUE);
        }

        @Override
        public void onPingAckRead(ChannelHandlerContext ctx, long data) {
            if (isDraining) {
                sayLast();
            }
        }
    }

    /** Counts the streams that are not closed. */
    private final class Closings extends Http2ConnectionAdapter {
        @Override
        public void onStreamClosed(Http2Stream stream) {
            closed.add(stream.id(), stream.isResetSent());
            var known = streamOf(stream);
            if (known != null) {
                streams--;
                quietSinceNanos = now();
                known.gone(ClientFailures.GONE);
            }
        }
    }
}
