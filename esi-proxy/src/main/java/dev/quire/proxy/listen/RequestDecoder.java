package dev.quire.proxy.listen;

import dev.quire.proxy.listen.HeadScanner.Complete;
import dev.quire.proxy.listen.HeadScanner.Incomplete;
import dev.quire.proxy.listen.Incoming.Data;
import dev.quire.proxy.listen.Incoming.End;
import dev.quire.proxy.listen.Incoming.Fault;
import dev.quire.proxy.listen.Incoming.Refused;
import dev.quire.proxy.listen.Incoming.Sound;
import dev.quire.proxy.listen.Incoming.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns the bytes of one client connection into {@link Incoming} messages, and nothing else. All of
 * its methods are called on the channel's event loop.
 *
 * <p>Netty's decoder sees a head only after {@link HeadScanner} found it whole and sound, and what
 * Netty made of it passes {@link RequestValidator} before anyone acts on it. From the first refusal
 * that closes, or the last request of the connection, on every byte is read and dropped.
 *
 * <p>At most {@value #AHEAD} requests wait for their answers, and a body is handed on only when all
 * requests before it have been answered. While that holds decoding up, auto-read is off; this class
 * alone switches it.
 */
final class RequestDecoder extends HttpRequestDecoder {
    /** Requests decoded and not yet answered. */
    static final int AHEAD = 16;

    private static final int BODY_PIECE_BYTES = 64 * 1024;
    private static final End END = new End();

    private enum Stage {
        HEAD,
        BODY,
        LAST_BODY,
        DISCARD
    }

    private final RequestValidator validator;
    private final HeadScanner scanner = new HeadScanner();
    private final List<Object> decoded = new ArrayList<>(2);
    private Stage stage = Stage.HEAD;
    private int unanswered;
    private boolean paused;

    /** Whether {@link #decode} left bytes lying that it will have to be called for again. */
    private boolean stalled;

    private ChannelHandlerContext context;

    @SuppressWarnings("NullAway.Init") // context is there before the first event
    RequestDecoder(RequestValidator validator) {
        super(config());
        this.validator = validator;
    }

    /**
     * Netty's limits lie above those of {@link HeadScanner}, so that its reasons are the answer.
     */
    static HttpDecoderConfig config() {
        return new HttpDecoderConfig()
                .setMaxInitialLineLength(HeadScanner.REQUEST_LINE_BYTES + 2)
                .setMaxHeaderSize(HeadScanner.HEAD_BYTES + 2)
                .setMaxChunkSize(BODY_PIECE_BYTES);
    }

    /**
     * The oldest request has been answered. If its body is not over, the rest of it is read and
     * dropped.
     */
    void answered() {
        if (unanswered == 0) {
            throw new IllegalStateException("expected a request that waits for its answer");
        }
        unanswered--;
        if (unanswered == 0) {
            paused = false;
        }
        proceed();
    }

    /** No more data after the piece that is being handed on. */
    void pause() {
        paused = true;
        autoRead(false);
    }

    /** Data again. */
    void resume() {
        paused = false;
        proceed();
    }

    /** Whatever still comes, a body in the middle included, is read and dropped. */
    void discardRest() {
        stage = Stage.DISCARD;
        paused = false;
        proceed();
    }

    /** Whether part of a request head has come. */
    boolean isInHead() {
        return stage == Stage.HEAD && scanner.hasBegun();
    }

    /** Whether the rest of a request body is still to come. */
    boolean isInBody() {
        return stage == Stage.BODY || stage == Stage.LAST_BODY;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) throws Exception {
        super.handlerAdded(added);
        context = added;
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

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
        if (stalled || paused) {
            // Netty's own would ask for more bytes because these brought no message.
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
            case Refused refused -> refuse(refused, in, out);
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
        var verdict = verdict(in, start, bytes, ended);
        decoded.clear();
        switch (verdict) {
            case Sound sound -> {
                unanswered++;
                out.add(sound);
                if (sound.hasBody() && !ended) {
                    stage = sound.keepAlive() ? Stage.BODY : Stage.LAST_BODY;
                } else if (!sound.keepAlive()) {
                    stage = Stage.DISCARD;
                }
            }
            case Refused refused -> refuse(refused, in, out);
        }
    }

    private Verdict verdict(ByteBuf in, int start, int bytes, boolean ended) {
        if (decoded.isEmpty() || !(decoded.getFirst() instanceof HttpRequest request)) {
            throw new IllegalStateException("expected a request from a whole head: " + decoded);
        }
        var verdict =
                validator.check(
                        request.method().name(),
                        request.uri(),
                        request.protocolVersion().equals(HttpVersion.HTTP_1_0)
                                ? RequestValidator.Version.HTTP_1_0
                                : RequestValidator.Version.HTTP_1_1,
                        new NettyFields(request.headers()));
        return switch (verdict) {
            case Refused refused -> refused;
            case Sound sound -> {
                var failure = request.decoderResult().cause();
                if (failure != null) {
                    yield Refused.of(RefusalReason.UNREADABLE_HEAD, String.valueOf(failure), true);
                }
                // Netty gives requests of a dead WebSocket draft a body that no field announces.
                if (sound.hasBody() == ended || in.readerIndex() != start + bytes) {
                    yield Refused.of(RefusalReason.AMBIGUOUS_LENGTH, sound.head().target(), true);
                }
                yield sound;
            }
        };
    }

    private void refuse(Refused refused, ByteBuf in, List<Object> out) {
        unanswered++;
        out.add(refused);
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
        // Answered already: nobody is there to take it.
        boolean wanted = unanswered == 1;
        if (wanted && content.content().isReadable()) {
            out.add(new Data(content.content()));
        } else {
            content.release();
        }
        var failure = content.decoderResult().cause();
        if (failure != null) {
            fault(RefusalReason.BAD_CHUNK, String.valueOf(failure), out);
        } else if (content instanceof LastHttpContent) {
            if (wanted) {
                out.add(END);
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

    /** Decodes what lies here and then reads on, unless something still forbids it. */
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
