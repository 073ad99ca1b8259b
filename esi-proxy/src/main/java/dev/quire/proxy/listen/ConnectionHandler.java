package dev.quire.proxy.listen;

import dev.quire.proxy.exchange.ClientConnection;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.ExchangeHandler;
import dev.quire.proxy.exchange.RequestBody;
import dev.quire.proxy.listen.Incoming.Data;
import dev.quire.proxy.listen.Incoming.End;
import dev.quire.proxy.listen.Incoming.Fault;
import dev.quire.proxy.listen.Incoming.Refused;
import dev.quire.proxy.listen.Incoming.Sound;
import dev.quire.proxy.listen.Incoming.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection: turns its requests into exchanges, one at a time and in order, and writes
 * their answers. Decides nothing, never blocks.
 */
final class ConnectionHandler extends ChannelInboundHandlerAdapter implements ClientConnection {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionHandler.class);
    private static final ByteBuf CONTINUE =
            Unpooled.unreleasableBuffer(
                    Unpooled.copiedBuffer(
                                    "HTTP/1.1 100 Continue\r\n\r\n", StandardCharsets.US_ASCII)
                            .asReadOnly());

    private static final int REQUEST_TIMEOUT = 408;
    private static final long GENTLE_CLOSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private enum State {
        OPEN,
        /** The last answer is being written; what still comes is dropped. */
        CLOSING,
        CLOSED
    }

    private final RequestDecoder decoder;
    private final ExchangeHandler exchanges;
    private final ConnectionRules rules;
    private final LoopConnections siblings;
    private final ArrayDeque<Verdict> waiting = new ArrayDeque<>(2);

    private ChannelHandlerContext context;
    private Exchange.Peer peer;
    private State state = State.OPEN;
    private @Nullable Exchange current;
    private @Nullable Body body;
    private boolean isAdvancing;
    private boolean isReading;
    private boolean isFlushDue;
    private boolean isDraining;

    private long quietSinceNanos;
    private long headSinceNanos;
    private long pendingBytes;

    @SuppressWarnings("NullAway.Init") // context and peer are there before the first event
    ConnectionHandler(
            RequestDecoder decoder,
            ExchangeHandler exchanges,
            ConnectionRules rules,
            LoopConnections siblings) {
        this.decoder = decoder;
        this.exchanges = exchanges;
        this.rules = rules;
        this.siblings = siblings;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        context = ctx;
        peer = rules.peer(ctx.channel().remoteAddress());
        quietSinceNanos = System.nanoTime();
        siblings.opened(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        isReading = true;
        switch (message) {
            case Verdict verdict -> {
                waiting.addLast(verdict);
                advance();
            }
            case Data data -> {
                if (body != null) {
                    quietSinceNanos = System.nanoTime();
                    body.data(data.bytes());
                } else {
                    data.bytes().release();
                }
            }
            case End ignored -> {
                if (body != null) {
                    body.end();
                }
            }
            case Fault fault -> {
                LOG.debug("request body: {}", fault.detail());
                state = State.CLOSING;
                if (body != null) {
                    body.broken();
                }
            }
            default -> throw new IllegalStateException("expected a message of the decoder");
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        isReading = false;
        headSinceNanos =
                !decoder.isInHead() ? 0 : headSinceNanos == 0 ? System.nanoTime() : headSinceNanos;
        if (isFlushDue) {
            isFlushDue = false;
            ctx.flush();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (current != null && ctx.channel().isWritable()) {
            current.writable();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        siblings.closed(this);
        waiting.clear();
        if (body != null) {
            body.broken();
        }
        var left = current;
        current = null;
        if (left != null) {
            left.clientGone();
            exchanges.finished(left);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof IOException)) {
            LOG.error("client connection failed", cause);
        }
        ctx.close();
    }

    @Override
    public EventLoop loop() {
        return context.channel().eventLoop();
    }

    @Override
    public ByteBufAllocator alloc() {
        return context.alloc();
    }

    @Override
    public void write(ByteBuf bytes) {
        context.write(bytes, context.voidPromise());
    }

    @Override
    public void flush() {
        if (isReading) {
            isFlushDue = true;
        } else {
            context.flush();
        }
    }

    @Override
    public boolean isWritable() {
        return context.channel().isWritable();
    }

    @Override
    public boolean isClosing() {
        return isDraining || state != State.OPEN;
    }

    @Override
    public void finished(boolean keepAlive) {
        var answered = current;
        if (answered == null) {
            return;
        }
        current = null;
        boolean isBodyPending = body != null && !body.isOver();
        body = null;
        quietSinceNanos = System.nanoTime();
        exchanges.finished(answered);
        if (keepAlive && state == State.OPEN) {
            decoder.answered();
            advance();
        } else if (isBodyPending) {
            closeGently();
        } else {
            close();
        }
    }

    @Override
    public void abort() {
        var aborted = current;
        current = null;
        body = null;
        if (aborted != null) {
            exchanges.finished(aborted);
        }
        context.close();
    }

    /** No further request: an idle connection closes, a busy one with its answer. */
    void drain() {
        isDraining = true;
        if (current == null && waiting.isEmpty() && state == State.OPEN) {
            close();
        }
    }

    /** Closes what has been quiet for too long. Called every now and then. */
    void check(long now) {
        long pending = pendingOutgoingBytes();
        if (pending > 0) {
            if (pending != pendingBytes) {
                pendingBytes = pending;
                quietSinceNanos = now;
            } else if (now - quietSinceNanos > rules.writeStallNanos()) {
                context.close();
            }
            return;
        }
        pendingBytes = 0;
        if (headSinceNanos != 0 && now - headSinceNanos > rules.headNanos()) {
            headSinceNanos = 0;
            timedOut();
        } else if (current == null && now - quietSinceNanos > rules.keepAliveNanos()) {
            context.close();
        } else if (body != null && body.isAwaited() && now - quietSinceNanos > rules.headNanos()) {
            state = State.CLOSING;
            body.broken();
        }
    }

    private void timedOut() {
        if (current == null && state == State.OPEN) {
            refuse(REQUEST_TIMEOUT);
        } else {
            context.close();
        }
    }

    /** Answers what waits, in order; a loop, since an exchange may be over before begin returns. */
    private void advance() {
        if (isAdvancing) {
            return;
        }
        isAdvancing = true;
        while (current == null && state == State.OPEN && !waiting.isEmpty()) {
            switch (waiting.removeFirst()) {
                case Sound sound -> begin(sound);
                case Refused refused -> refuse(refused);
            }
        }
        isAdvancing = false;
    }

    private void begin(Sound sound) {
        body = sound.hasBody() ? new Body(sound) : null;
        if (body != null) {
            decoder.pause();
        }
        var exchange =
                new Exchange(
                        sound.head(),
                        body,
                        sound.isHttp10(),
                        sound.keepAlive() && rules.keepAliveNanos() > 0,
                        peer,
                        this,
                        rules.forwarding());
        current = exchange;
        exchanges.begin(exchange);
    }

    private void refuse(Refused refused) {
        rules.events().refused(refused.reason(), refused.offender(), peer.address());
        quietSinceNanos = System.nanoTime();
        if (refused.close() || isClosing()) {
            refuse(refused.status());
        } else {
            write(RefusalPage.of(alloc(), refused.status(), false));
            flush();
            decoder.answered();
        }
    }

    /** An answer of our own behind which nothing is read any more. */
    private void refuse(int status) {
        write(RefusalPage.of(alloc(), status, true));
        closeGently();
    }

    private void close() {
        state = State.CLOSING;
        context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    /** Lets a client that is still sending read the answer: a reset would take it away. */
    private void closeGently() {
        state = State.CLOSING;
        decoder.discardRest();
        context.writeAndFlush(Unpooled.EMPTY_BUFFER)
                .addListener(done -> ((DuplexChannel) context.channel()).shutdownOutput());
        loop().schedule(() -> context.close(), GENTLE_CLOSE_NANOS, TimeUnit.NANOSECONDS);
    }

    private long pendingOutgoingBytes() {
        var outgoing = context.channel().unsafe().outboundBuffer();
        return outgoing == null ? 0 : outgoing.totalPendingWriteBytes();
    }

    /** The body of the current request. */
    private final class Body implements RequestBody {
        private final Sound sound;
        private @Nullable Sink sink;
        private boolean isOver;
        private boolean isBroken;

        Body(Sound sound) {
            this.sound = sound;
        }

        boolean isOver() {
            return isOver;
        }

        boolean isAwaited() {
            return sink != null && !isOver;
        }

        @Override
        public long length() {
            return sound.bodyBytes();
        }

        @Override
        public boolean expectsContinue() {
            return sound.expectsContinue();
        }

        @Override
        public void flowTo(Sink into) {
            sink = into;
            if (isBroken) {
                into.broken();
                return;
            }
            if (expectsContinue()) {
                write(CONTINUE.duplicate());
                flush();
            }
            quietSinceNanos = System.nanoTime();
            decoder.resume();
        }

        @Override
        public void pause() {
            decoder.pause();
        }

        @Override
        public void resume() {
            quietSinceNanos = System.nanoTime();
            decoder.resume();
        }

        void data(ByteBuf data) {
            if (sink == null || isOver) {
                data.release();
            } else {
                sink.data(data);
            }
        }

        void end() {
            isOver = true;
            if (sink != null) {
                sink.end();
            }
        }

        void broken() {
            if (isOver) {
                return;
            }
            isOver = true;
            isBroken = true;
            if (sink != null) {
                sink.broken();
            }
        }
    }
}
