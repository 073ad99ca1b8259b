package dev.quire.proxy.listen;

import dev.quire.core.assemble.Failure;
import dev.quire.proxy.exchange.ErrorResponse;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.ExchangeHandler;
import dev.quire.proxy.exchange.HalfClose;
import dev.quire.proxy.exchange.Outgoing;
import dev.quire.proxy.exchange.RequestId;
import dev.quire.proxy.exchange.Tunnel;
import dev.quire.proxy.exchange.TunnelChannel;
import dev.quire.proxy.exchange.TunnelEnd;
import dev.quire.proxy.exchange.TunnelPlace;
import dev.quire.proxy.fault.InternalErrors;
import dev.quire.proxy.listen.Incoming.Data;
import dev.quire.proxy.listen.Incoming.Early;
import dev.quire.proxy.listen.Incoming.End;
import dev.quire.proxy.listen.Incoming.Fault;
import dev.quire.proxy.listen.Incoming.Refused;
import dev.quire.proxy.listen.Incoming.Sound;
import dev.quire.proxy.listen.Incoming.ValidationResult;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection: passes its requests to exchanges, one at a time and in order, and writes
 * their responses. Never blocks.
 */
final class ConnectionHandler extends ChannelInboundHandlerAdapter implements LoopConnection {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionHandler.class);

    /** While draining, how long an idle connection stays open for a request already on its way. */
    private static final long LAST_CHANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private enum State {
        OPEN,
        /** The last response is being written; further input is dropped. */
        CLOSING,
        CLOSED
    }

    private final RequestDecoder decoder;
    private final ExchangeHandler exchanges;
    private final Supplier<ConnectionRules> currentRules;
    private final Arrival arrival;
    private final LoopConnections siblings;

    /** Null without TLS. */
    private final @Nullable PacedWrites paced;

    private final ArrayDeque<ValidationResult> waiting = new ArrayDeque<>(2);

    private ConnectionRules rules;
    private Exchange.Peer peer;
    private ChannelHandlerContext context;
    private State state = State.OPEN;
    private @Nullable Exchange current;
    private @Nullable IncomingBody body;
    private boolean isAdvancing;
    private boolean isReading;
    private boolean isFlushDue;
    private boolean isDraining;
    private boolean isInputEnded;
    private boolean hasAsked;
    private boolean hasBegun;
    private boolean isHeadAwaited;
    private @Nullable Tunnel tunnel;

    /** Written, but not counted as sent. */
    private long unflushedBytes;

    private long quietSinceNanos;
    private long headSinceNanos;
    private long pendingBytes;

    @SuppressWarnings("NullAway.Init") // context is set before the first event
    ConnectionHandler(
            RequestDecoder decoder,
            ExchangeHandler exchanges,
            Supplier<ConnectionRules> rules,
            Arrival arrival,
            LoopConnections siblings) {
        this.decoder = decoder;
        this.exchanges = exchanges;
        this.currentRules = rules;
        this.arrival = arrival;
        this.paced = arrival.tls() == null ? null : new PacedWrites();
        this.rules = rules.get();
        this.peer = this.rules.peer(arrival);
        this.siblings = siblings;
    }

    void begin(ChannelPipeline pipeline) {
        if (paced != null) {
            pipeline.addLast(paced);
        }
        pipeline.addLast(decoder, this);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        if (ctx.channel().isActive()) {
            opened();
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        opened();
    }

    private void opened() {
        quietSinceNanos = now();
        siblings.opened(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        isReading = true;
        switch (message) {
            case ValidationResult result -> {
                hasAsked = true;
                isHeadAwaited = false;
                if (result instanceof Sound sound && sound.hasBody()) {
                    // Until the body is requested: its request may be queued behind others.
                    decoder.pause();
                }
                waiting.addLast(result);
                advance();
            }
            case Data data -> {
                if (body != null) {
                    body.data(data.bytes());
                } else {
                    data.bytes().release();
                }
            }
            case End end -> {
                if (body != null) {
                    body.end(end.trailers());
                }
            }
            case Fault fault -> {
                LOG.debug("malformed request body: {}", fault.detail());
                boolean isCut = fault.reason() == RefusalReason.BODY_CUT;
                // If the client has disconnected, channelInactive follows.
                if (isCut && current != null) {
                    ctx.close();
                } else if (!isCut && ctx.channel().isActive()) {
                    bodyBroken(ClientFailures.NO_BODY);
                }
            }
            case Early ignored -> {
                rules.reportEarly(current, peer);
                ctx.close();
            }
            default -> throw new IllegalStateException("expected a message of the decoder");
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        isReading = false;
        if (!decoder.isInHead()) {
            isHeadAwaited = false;
        } else if (!isHeadAwaited) {
            isHeadAwaited = true;
            headSinceNanos = now();
        }
        if (current == null && pendingBytes == 0 && decoder.isInBody()) {
            quietSinceNanos = now();
        }
        flushDue();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (!isWritable()) {
            return;
        }
        if (current != null) {
            current.writable();
        } else {
            advance();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent && !isInputEnded) {
            isInputEnded = true;
            if (isIdle()) {
                close();
            }
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
        var left = current;
        current = null;
        try {
            if (body != null) {
                // Before the exchange is cancelled: the origin must see a reset, not a short body.
                body.broken(ClientFailures.GONE);
            }
            if (left != null) {
                left.clientGone();
            }
        } finally {
            if (left != null) {
                exchanges.finished(left, now());
            }
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // A fault in the client's TLS arrives as the cause of another exception.
        if (!(cause instanceof IOException || cause.getCause() instanceof SSLException)) {
            InternalErrors.log(LOG, cause, "client connection failed");
        }
        ctx.close();
    }

    @Override
    public Arrival arrival() {
        return arrival;
    }

    EventLoop loop() {
        return context.channel().eventLoop();
    }

    ByteBufAllocator alloc() {
        return context.alloc();
    }

    /** Writes {@code bytes} without flushing; takes ownership of one reference. */
    void write(ByteBuf bytes) {
        write(bytes, bytes.readableBytes());
    }

    /** Like {@link #write(ByteBuf)}, also for a part of a file if there is no TLS. */
    void write(Object part, long bytes) {
        unflushedBytes += bytes;
        context.write(part, context.voidPromise());
    }

    /** Like {@link #write(ByteBuf)}; {@code gone} runs after the write has succeeded or failed. */
    void write(ByteBuf bytes, Runnable gone) {
        unflushedBytes += bytes.readableBytes();
        context.write(bytes).addListener(done -> gone.run());
    }

    /** Flushes written bytes, at the latest after the current batch of reads. */
    void flush() {
        if (isReading || isAdvancing) {
            isFlushDue = true;
        } else {
            countSent();
            context.flush();
        }
    }

    boolean isWritable() {
        return context.channel().isWritable() && (paced == null || paced.isPassed());
    }

    boolean isOpen() {
        return state != State.CLOSED && context.channel().isActive();
    }

    boolean isHalfClosed() {
        return isInputEnded;
    }

    /** Whether no further request is accepted on this connection. */
    boolean isClosing() {
        // Without 100 (Continue) the client may or may not send the body, so the next request
        // cannot be located.
        return isDraining
                || (isInputEnded && waiting.isEmpty())
                || state != State.OPEN
                || (body != null && body.isLeftUnread());
    }

    /** Whether {@code asked} is the body of the request that is being answered. */
    boolean isCurrent(IncomingBody asked) {
        return asked.equals(body);
    }

    /** Called when the response is complete; the next request may begin. */
    void finished(boolean keepAlive) {
        var answered = current;
        if (answered == null) {
            return;
        }
        current = null;
        boolean isBodyPending = body != null && body.isPending();
        body = null;
        quietSinceNanos = now();
        exchanges.finished(answered, quietSinceNanos);
        if (keepAlive && state == State.OPEN) {
            decoder.answered();
            advance();
            if (isInputEnded && isIdle()) {
                close();
            } else if (isDraining) {
                closeUnlessAsked();
            }
        } else if (isBodyPending || !waiting.isEmpty()) {
            closeGently();
        } else {
            close();
        }
    }

    /**
     * Aborts an incomplete response visibly for the client.
     *
     * @param byReset whether an orderly close would signal a complete response (RFC 9112 §8)
     */
    void abort(boolean byReset) {
        var aborted = current;
        current = null;
        body = null;
        if (state == State.OPEN) {
            state = State.CLOSING;
        }
        if (aborted != null) {
            if (byReset) {
                context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
            }
            exchanges.finished(aborted, now());
        }
        if (byReset) {
            // Without the close_notify of TLS, which would signal a complete response.
            context.channel().unsafe().close(context.channel().unsafe().voidPromise());
        } else {
            context.close();
        }
    }

    /**
     * Joins the connection with {@code origin}: no more requests are read. The current exchange
     * ends when the connection does.
     */
    Tunnel tunnel(TunnelEnd origin, TunnelPlace place) {
        var client = new TunnelChannel(context.channel());
        context.pipeline().addBefore(context.name(), null, client);
        context.pipeline().remove(decoder);
        tunnel = Tunnel.join(client.end(), origin, place);
        return tunnel;
    }

    /** Closes a tunnel behind what it was given; other connections end with their loop. */
    @Override
    public void end() {
        if (tunnel != null) {
            tunnel.close();
        }
    }

    /** Stops accepting requests: closes with the next response, or when idle. */
    @Override
    public void drain(GoAwayReason reason) {
        isDraining = true;
        closeUnlessAsked();
    }

    /**
     * Closes an idle connection after a delay: the client may have sent a request that has not been
     * read, which a reset would lose.
     */
    private void closeUnlessAsked() {
        if (isIdle()) {
            loop().schedule(this::closeIfIdle, LAST_CHANCE_NANOS, TimeUnit.NANOSECONDS);
        }
    }

    private void closeIfIdle() {
        if (isIdle() && !decoder.isInHead()) {
            close();
        }
    }

    private boolean isIdle() {
        return current == null && waiting.isEmpty() && state == State.OPEN;
    }

    /** Closes the connection if a timeout has expired. Called periodically. */
    @Override
    public void check(long now) {
        if (tunnel != null) {
            tunnel.check(now);
            return;
        }
        long pending = Outgoing.pendingBytes(context.channel());
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
        if (isHeadAwaited && now - headSinceNanos > rules.headNanos()) {
            isHeadAwaited = false;
            headTimedOut();
        } else if (state == State.OPEN && current == null && now - quietSinceNanos > idleNanos()) {
            quietSinceNanos = now;
            close();
        } else if (body != null && body.isOverdue(now)) {
            bodyBroken(ClientFailures.TOO_SLOW);
        }
    }

    /** The idle timeout; keep-alive does not apply before the first request. */
    private long idleNanos() {
        return hasAsked
                ? rules.keepAliveNanos()
                : Math.max(rules.headNanos(), rules.keepAliveNanos());
    }

    private void headTimedOut() {
        if (state == State.OPEN && current == null) {
            refuse(decoder.late(), now() - headSinceNanos);
        } else if (state == State.OPEN) {
            // The response in progress is for an earlier request: it is the last one.
            state = State.CLOSING;
            decoder.discardRest();
        }
    }

    /** The request body is malformed or too slow: ends the request and the connection. */
    void bodyBroken(Failure failure) {
        if (state == State.OPEN) {
            state = State.CLOSING;
        }
        if (body != null) {
            body.broken(failure);
        } else if (current == null) {
            closeGently();
        }
    }

    /**
     * Answers waiting requests in order. A loop, because an exchange may complete before begin
     * returns.
     */
    private void advance() {
        if (isAdvancing) {
            return;
        }
        isAdvancing = true;
        // Back-pressure: no new responses for a client that does not read them.
        while (current == null && state == State.OPEN && !waiting.isEmpty() && isWritable()) {
            switch (waiting.removeFirst()) {
                case Sound sound -> begin(sound);
                case Refused refused -> refuse(refused, 0);
            }
        }
        isAdvancing = false;
        if (!isReading) {
            flushDue();
        }
    }

    private void flushDue() {
        if (isFlushDue) {
            isFlushDue = false;
            countSent();
            context.flush();
        }
    }

    /** Counts what the next flush sends; once for all parts of a response. */
    private void countSent() {
        siblings.traffic().sent(unflushedBytes);
        unflushedBytes = 0;
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

    private void begin(Sound sound) {
        takeRules();
        hasBegun = true;
        body = sound.hasBody() ? new IncomingBody(this, decoder, rules, sound) : null;
        var exchange =
                new Exchange(
                        sound.head(),
                        body,
                        peer,
                        new Http1Writer(
                                this, sound, sound.keepAlive() && rules.keepAliveNanos() > 0),
                        rules.trust(),
                        exchanges);
        current = exchange;
        exchanges.begin(exchange);
    }

    private void refuse(Refused refused, long tookNanos) {
        var head = refused.request().head();
        var id = RequestId.of(head, peer.isTrusted());
        if (refused.reason().isOfNoRequest() && !hasBegun && rules.settings().h2c()) {
            // It may be a wrong preface: that client reads frames (RFC 9113 §3.4).
            rules.report(refused, id, peer, new Refusal.Response(0, 0, tookNanos));
            closeGently();
            return;
        }
        var response =
                new Http1Writer(
                        this, refused.request(), !refused.close() && rules.keepAliveNanos() > 0);
        quietSinceNanos = now();
        ErrorResponse.send(
                response, refused.reason().page(), head.fields(), id, rules.wall().get());
        rules.report(
                refused,
                id,
                peer,
                new Refusal.Response(response.status(), response.bodyBytes(), tookNanos));
        if (response.closes()) {
            closeGently();
        } else {
            decoder.answered();
        }
    }

    private void close() {
        if (decoder.isInBody()) {
            closeGently();
            return;
        }
        state = State.CLOSING;
        countSent();
        context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    /**
     * Closes after the client could read the response: closing while it sends would reset the
     * connection and lose the response.
     */
    private void closeGently() {
        state = State.CLOSING;
        decoder.discardRest();
        countSent();
        context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> shutOutput());
    }

    private void shutOutput() {
        if (isInputEnded) {
            context.close();
        } else {
            HalfClose.thenClose(context.channel());
        }
    }

    long now() {
        return loop().ticker().nanoTime();
    }
}
