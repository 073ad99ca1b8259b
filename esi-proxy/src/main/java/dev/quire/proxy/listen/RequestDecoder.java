package dev.quire.proxy.listen;

import dev.quire.core.http.Fields;
import dev.quire.proxy.config.LimitsConfig;
import dev.quire.proxy.exchange.HalfClose;
import dev.quire.proxy.listen.HeadScanner.Complete;
import dev.quire.proxy.listen.HeadScanner.Incomplete;
import dev.quire.proxy.listen.Incoming.Data;
import dev.quire.proxy.listen.Incoming.Early;
import dev.quire.proxy.listen.Incoming.End;
import dev.quire.proxy.listen.Incoming.Fault;
import dev.quire.proxy.listen.Incoming.Refused;
import dev.quire.proxy.listen.Incoming.Sound;
import dev.quire.proxy.listen.Incoming.ValidationResult;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * Decodes the bytes of one client connection into {@link Incoming} messages. Confined to the
 * channel's event loop.
 *
 * <p>Netty's decoder gets a head only after {@link HeadScanner} has accepted it completely, and its
 * result is validated by {@link RequestValidator}. After a refusal that closes, or the last request
 * of the connection, all further bytes are dropped.
 *
 * <p>At most {@value #AHEAD} requests wait for their responses. A body is passed on only after all
 * earlier requests have been answered. While this stops decoding, auto-read is off; only this class
 * switches it.
 */
final class RequestDecoder extends HttpRequestDecoder {
    /** Maximum requests that are decoded and not yet answered. */
    static final int AHEAD = 16;

    private static final int BODY_PIECE_BYTES = 64 * 1024;
    private static final End END = new End(Fields.EMPTY);
    private static final Early EARLY = new Early();

    private enum Stage {
        HEAD,
        BODY,
        LAST_BODY,
        /** After a request that may become a tunnel, until it is answered. */
        UPGRADE,
        DISCARD
    }

    private final RequestValidator validator;
    private final Traffic traffic;
    private final HeadScanner scanner;
    private final List<Object> decoded = new ArrayList<>(2);
    private Stage stage = Stage.HEAD;
    private int unanswered;
    private boolean paused;

    /** Whether {@link #decode} left bytes for a later call. */
    private boolean stalled;

    /** Whether the end of the input has been received and not passed on. */
    private boolean isEndDue;

    private boolean isDecoding;

    private ChannelHandlerContext context;

    @SuppressWarnings("NullAway.Init") // context is set before the first event
    RequestDecoder(RequestValidator validator, LimitsConfig limits, Traffic traffic) {
        super(config(limits));
        this.validator = validator;
        this.traffic = traffic;
        this.scanner = new HeadScanner(limits);
    }

    /** Netty's limits exceed those of {@link HeadScanner}, so that the latter are reported. */
    static HttpDecoderConfig config(LimitsConfig limits) {
        return new HttpDecoderConfig()
                .setMaxInitialLineLength(limits.requestLineBytes() + 2)
                .setMaxHeaderSize(limits.headBytes() + 2)
                .setMaxChunkSize(BODY_PIECE_BYTES);
    }

    /** The oldest request has been answered. The unread rest of its body is dropped. */
    void answered() {
        if (unanswered == 0) {
            throw new IllegalStateException("expected a request that waits for its answer");
        }
        unanswered--;
        if (unanswered == 0) {
            paused = false;
            if (stage == Stage.UPGRADE) {
                stage = Stage.HEAD;
            }
        }
        proceed();
    }

    /** Stops data after the current piece. */
    void pause() {
        paused = true;
        autoRead(false);
    }

    void resume() {
        paused = false;
        proceed();
    }

    /** Drops all further input, including the rest of a body. */
    void discardRest() {
        stage = Stage.DISCARD;
        paused = false;
        proceed();
    }

    boolean isInHead() {
        return stage == Stage.HEAD && scanner.hasBegun();
    }

    /** The refusal of the head that is incomplete. */
    Refused late() {
        var in = internalBuffer();
        return new Refused(
                RefusalReason.HEAD_TIMEOUT,
                "",
                true,
                RefusedRequest.of(in, in.readerIndex(), in.writerIndex()));
    }

    boolean isInBody() {
        return stage == Stage.BODY || stage == Stage.LAST_BODY;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) throws Exception {
        super.handlerAdded(added);
        context = added;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        if (message instanceof ByteBuf bytes) {
            traffic.received(bytes.readableBytes());
        }
        boolean isNested = isDecoding;
        isDecoding = true;
        try {
            super.channelRead(ctx, message);
        } finally {
            isDecoding = isNested;
        }
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
            throws Exception {
        switch (stage) {
            case HEAD -> {
                if (paused || unanswered == AHEAD) {
                    stall();
                } else {
                    head(ctx, in, out);
                }
            }
            case BODY, LAST_BODY -> {
                if (paused || unanswered > 1) {
                    stall();
                } else {
                    body(ctx, in, out);
                }
            }
            case UPGRADE -> {
                in.skipBytes(in.readableBytes());
                out.add(EARLY);
                stage = Stage.DISCARD;
            }
            case DISCARD -> in.skipBytes(in.readableBytes());
        }
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
            throws Exception {
        super.decodeLast(ctx, in, out);
        if (isInBody()) {
            fault(RefusalReason.BODY_CUT, "connection closed", out);
        }
    }

    /** The client has closed its sending side; bytes in front of that may still be undecoded. */
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
        if (event instanceof SslCloseCompletionEvent && HalfClose.isOutputOver(ctx.channel())) {
            // The client can be answered no more, even if it still reads.
            ctx.close();
        } else if (event instanceof ChannelInputShutdownEvent
                || event instanceof SslCloseCompletionEvent) {
            isEndDue = true;
            endInput();
        } else {
            super.userEventTriggered(ctx, event);
        }
    }

    /** Ends the input and passes the event on, once all bytes in front of it are decoded. */
    private void endInput() {
        // The end releases the bytes that are being decoded.
        if (!isEndDue || stalled || paused || isDecoding) {
            return;
        }
        isEndDue = false;
        try {
            super.userEventTriggered(context, ChannelInputShutdownEvent.INSTANCE);
        } catch (Exception e) {
            context.fireExceptionCaught(e);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
        if (stalled || paused) {
            // Netty's implementation would read more bytes because these produced no message.
            discardSomeReadBytes();
            ctx.fireChannelReadComplete();
        } else {
            super.channelReadComplete(ctx);
        }
    }

    private void head(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
        switch (scanner.scan(in)) {
            case Incomplete incomplete -> {}
            case Complete head -> {
                scanner.reset();
                judge(ctx, in, head.bytes(), out);
            }
            case Refused refused -> refuse(refused, in, in.readerIndex(), out);
        }
    }

    private void judge(ChannelHandlerContext ctx, ByteBuf in, int bytes, List<Object> out)
            throws Exception {
        int start = in.readerIndex();
        if (in.getByte(start) == '\r') {
            in.skipBytes(2);
        }
        super.decode(ctx, in, decoded);
        boolean ended = decoded.size() > 1;
        var result = result(in, start, bytes, ended);
        decoded.clear();
        switch (result) {
            case Sound sound -> {
                unanswered++;
                out.add(sound);
                if (sound.hasBody() && !ended) {
                    stage = sound.keepAlive() ? Stage.BODY : Stage.LAST_BODY;
                } else if (!sound.keepAlive()) {
                    stage = Stage.DISCARD;
                } else if (sound.mayTunnel()) {
                    stage = Stage.UPGRADE;
                }
            }
            case Refused refused -> refuse(refused, in, start, out);
        }
    }

    private ValidationResult result(ByteBuf in, int start, int bytes, boolean ended) {
        if (decoded.isEmpty() || !(decoded.getFirst() instanceof HttpRequest request)) {
            throw new IllegalStateException("expected a request from a whole head: " + decoded);
        }
        var result =
                validator.check(
                        request.method().name(),
                        request.uri(),
                        request.protocolVersion().equals(HttpVersion.HTTP_1_0)
                                ? RequestValidator.Version.HTTP_1_0
                                : RequestValidator.Version.HTTP_1_1,
                        new NettyFields(request.headers()));
        return switch (result) {
            case Refused refused -> refused;
            case Sound sound -> {
                var failure = request.decoderResult().cause();
                if (failure != null) {
                    yield Refused.of(RefusalReason.UNREADABLE_HEAD, String.valueOf(failure), true);
                }
                // Netty reads a body without framing fields for requests of an obsolete WebSocket
                // draft.
                if (sound.hasBody() == ended || in.readerIndex() != start + bytes) {
                    yield Refused.of(RefusalReason.AMBIGUOUS_LENGTH, sound.head().target(), true);
                }
                if (sound.mayTunnel() && in.isReadable()) {
                    yield Refused.of(RefusalReason.EARLY_TUNNEL_BYTES, sound.head().target(), true);
                }
                yield sound;
            }
        };
    }

    private void refuse(Refused refused, ByteBuf in, int start, List<Object> out) {
        unanswered++;
        out.add(refused.of(RefusedRequest.of(in, start, in.writerIndex())));
        if (refused.close()) {
            stage = Stage.DISCARD;
            in.skipBytes(in.readableBytes());
        }
    }

    private void body(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
        super.decode(ctx, in, decoded);
        for (var part : decoded) {
            if (!(part instanceof HttpContent content)) {
                throw new IllegalStateException("expected part of a body: " + part);
            }
            part(content, out);
        }
        decoded.clear();
    }

    private void part(HttpContent content, List<Object> out) {
        // Already answered: the body has no receiver.
        boolean wanted = unanswered == 1;
        if (wanted && content.content().isReadable()) {
            out.add(new Data(content.content()));
        } else {
            content.release();
        }
        var failure = content.decoderResult().cause();
        if (failure != null) {
            fault(RefusalReason.BAD_CHUNK, String.valueOf(failure), out);
        } else if (content instanceof LastHttpContent last) {
            if (wanted) {
                var trailers = last.trailingHeaders();
                out.add(trailers.isEmpty() ? END : new End(new NettyFields(trailers)));
            }
            stage = stage == Stage.BODY ? Stage.HEAD : Stage.DISCARD;
        }
    }

    private void fault(RefusalReason reason, String detail, List<Object> out) {
        out.add(new Fault(reason, detail));
        stage = Stage.DISCARD;
    }

    private void stall() {
        stalled = true;
        autoRead(false);
    }

    /** Decodes buffered bytes, then resumes reading unless still blocked. */
    private void proceed() {
        if (paused || !context.channel().isActive()) {
            return;
        }
        if (stalled) {
            stalled = false;
            try {
                channelRead(context, Unpooled.EMPTY_BUFFER);
            } catch (Exception e) {
                context.fireExceptionCaught(e);
            }
            discardSomeReadBytes();
            context.fireChannelReadComplete();
        }
        endInput();
        if (!stalled && !paused) {
            autoRead(true);
        }
    }

    private void autoRead(boolean on) {
        var config = context.channel().config();
        if (config.isAutoRead() != on) {
            config.setAutoRead(on);
        }
    }
}
