package dev.quire.proxy.fetch;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.DurationText;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.Admission;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.PlainWords;
import dev.quire.proxy.exchange.TunnelChannel;
import dev.quire.proxy.fetch.OriginFetch.Repeat;
import dev.quire.proxy.route.OriginSettings;
import dev.quire.proxy.tls.HandshakeFault;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to an origin. Carries one request at a time and returns to the idle connections of
 * its loop after each complete response that allows it. Confined to that loop. Failures close it.
 */
final class OriginConnection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(OriginConnection.class);
    private static final Duration MAX_IDLE = Duration.ofSeconds(30);
    private static final Duration STALL = Duration.ofSeconds(1);
    private static final Duration CONTINUE_WAIT = Duration.ofSeconds(1);
    private static final int MAX_INTERIMS = 16;

    /** An unwanted rest of a body is received up to this size, so that the connection is reused. */
    private static final int MAX_UNWANTED_BYTES = 64 * 1024;

    private static final Duration UNWANTED_WAIT = Duration.ofSeconds(1);

    private enum State {
        /** No request; any byte from the origin closes the connection. */
        IDLE,
        /** The request is being sent or was sent, and the response head has not arrived. */
        HEAD,
        /** Like HEAD, between the head and the end of an interim response. */
        INTERIM,
        /** The final head has arrived. */
        BODY,
        /** The response is complete; the rest of the same read is being processed. */
        WHOLE,
        CLOSED
    }

    private final OriginSettings origin;
    private final Channel channel;
    private final IdleConnections pool;
    private final ResponseDecoder decoder = new ResponseDecoder();
    private final Deadline deadline;
    private State state = State.IDLE;
    private @Nullable OriginFetch fetch;
    private @Nullable Upload upload;
    private OriginRequest.Deadlines deadlines;
    private boolean isEventStream;
    private Fields trailers = Fields.EMPTY;
    private final Consumer<String> whenRefused;
    private int requests;
    private int interims;

    /** Of the body; negative if its length is not known. */
    private long bytesLeft;

    /** Whether the body ends with the connection (RFC 9112 §6.3). */
    private boolean isEndedByClose;

    /** Whether the origin has sent close_notify (RFC 8446 §6.1). */
    private boolean hasClosedOrderly;

    private boolean keepAlive;
    private boolean paused;
    private boolean isStalled;
    private boolean hasPermit = true;

    OriginConnection(
            OriginSettings origin,
            Channel channel,
            IdleConnections pool,
            Consumer<String> whenRefused) {
        this.origin = origin;
        this.whenRefused = whenRefused;
        this.deadlines = ofOrigin();
        this.channel = channel;
        this.pool = pool;
        this.deadline = new Deadline(channel.eventLoop(), this::expired);
        channel.pipeline().addLast(decoder, new RequestEncoder(), this);
    }

    private OriginRequest.Deadlines ofOrigin() {
        var own = origin.deadlines();
        return new OriginRequest.Deadlines(own.firstByte(), own.betweenBytes(), own.idle());
    }

    /** Whether a request may be sent. */
    boolean isUsable() {
        return state == State.IDLE
                && channel.isActive()
                && !hasClosedOrderly
                && !decoder.hasSurplus();
    }

    /** Sends the request of {@code sender}, which receives the response. */
    void send(OriginFetch sender) {
        var ofRequest = sender.request().deadlines();
        deadlines = ofRequest == null ? ofOrigin() : ofRequest;
        isEventStream = false;
        fetch = sender;
        state = State.HEAD;
        interims = 0;
        requests++;
        decoder.expect(sender.request().head().isHead());
        var sending = new Upload(this, channel, sender.body(), sender.request().trailers());
        upload = sending;
        watch();
        sending.start(sender.message());
    }

    /** Whether the client has not sent the next part, though the origin would take it. */
    boolean awaitsClient() {
        return upload != null && upload.awaitsClient();
    }

    EventLoop loop() {
        return channel.eventLoop();
    }

    /** Closes the connection if its client still takes nothing. On its loop. */
    void cutStalled() {
        if (isStalled) {
            failed(
                    new Failure(
                            Side.PROXY,
                            Kind.OVERLOAD,
                            "clients that take nothing hold half of the connections"),
                    Repeat.NOWHERE);
        }
    }

    private void endStall() {
        if (isStalled) {
            isStalled = false;
            pool.stalled().remove(this);
        }
    }

    /** Stops reading and suspends the deadline. */
    void pause() {
        paused = true;
        if (state == State.BODY) {
            channel.config().setAutoRead(false);
            watch();
        }
    }

    void resume() {
        paused = false;
        endStall();
        if (state == State.BODY) {
            channel.config().setAutoRead(true);
            watch();
        }
    }

    /** The response is no longer wanted: closes the connection unless little of it is left. */
    void abandon() {
        if (state == State.WHOLE) {
            fetch = null;
        } else if (isEndNear()) {
            resume();
            fetch = null;
            deadline.start(UNWANTED_WAIT);
        } else {
            close();
        }
    }

    private boolean isEndNear() {
        return state == State.BODY
                && keepAlive
                && upload != null
                && upload.state() == Upload.State.SENT
                && bytesLeft >= 0
                && bytesLeft <= MAX_UNWANTED_BYTES;
    }

    /** Whether the rest of the body is received for the connection's sake alone. */
    private boolean isUnwanted() {
        return state == State.BODY && fetch == null;
    }

    /** Closes the connection in any state, without notifying the fetch. */
    void close() {
        end();
        channel.close();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        switch (message) {
            case HttpObject part when part.decoderResult().isFailure() -> {
                ReferenceCountUtil.release(part);
                undecodable(part.decoderResult().cause());
            }
            case HttpResponse head when state == State.HEAD -> head(head);
            case HttpContent part when state == State.INTERIM -> {
                part.release();
                state = State.HEAD;
            }
            case HttpContent part when state == State.BODY -> content(part);
            default -> ReferenceCountUtil.release(message);
        }
    }

    private void head(HttpResponse response) {
        int status = response.status().code();
        if (status == 101) {
            switched(headOf(response));
        } else if (status < 200) {
            interim(response);
        } else {
            state = State.BODY;
            keepAlive = HttpUtil.isKeepAlive(response);
            if (upload != null) {
                upload.answered();
            }
            if (paused) {
                channel.config().setAutoRead(false);
            }
            var head = headOf(response);
            bytesLeft = Admission.announcedBytes(head.fields());
            isEndedByClose = decoder.isEndedByClose();
            isEventStream = head.isEventStream();
            watch();
            if (fetch != null) {
                fetch.head(head);
            }
        }
    }

    /**
     * Turns the connection into an end of a tunnel if the origin accepts the requested upgrade. A
     * tunnel holds no permit, since it would keep it from requests for as long as it lives.
     */
    private void switched(ResponseHead head) {
        var asking = fetch;
        var upgrade = asking == null ? null : asking.request().upgrade();
        if (asking == null || upgrade == null) {
            broken(Kind.MALFORMED, "101 without a requested upgrade");
            return;
        }
        if (!upgrade.isAcceptedBy(head)) {
            broken(Kind.MALFORMED, "101 that does not accept the requested WebSocket");
            return;
        }
        end();
        releasePermit();
        var pipeline = channel.pipeline();
        var tunnel = new TunnelChannel(channel);
        // This handler and the encoder.
        pipeline.removeLast();
        pipeline.removeLast();
        pipeline.addLast(tunnel);
        asking.switched(head, tunnel.end());
        // Last: it passes on the bytes that arrived with the 101.
        pipeline.remove(decoder);
    }

    /** Releases the permit of the connection, once. */
    void releasePermit() {
        if (hasPermit) {
            hasPermit = false;
            pool.releasePermit();
        }
    }

    private void interim(HttpResponse response) {
        if (++interims > MAX_INTERIMS) {
            broken(Kind.MALFORMED, "more than " + MAX_INTERIMS + " interim responses");
            return;
        }
        state = State.INTERIM;
        if (response.status().code() != 100) {
            watch();
            if (fetch != null) {
                fetch.interim(headOf(response));
            }
        } else if (upload != null) {
            upload.goOn();
            watch();
        }
    }

    private static ResponseHead headOf(HttpResponse response) {
        return new ResponseHead(
                response.status().code(),
                response.status().reasonPhrase(),
                new HeaderFields(response.headers()));
    }

    private void content(HttpContent part) {
        if (part instanceof LastHttpContent last) {
            if (isEndedByClose && isCutOff()) {
                part.release();
                broken(Kind.TRUNCATED, "the origin closed the connection without close_notify");
                return;
            }
            state = State.WHOLE;
            trailers =
                    last.trailingHeaders().isEmpty()
                            ? Fields.EMPTY
                            : new HeaderFields(last.trailingHeaders());
        }
        bytesLeft -= part.content().readableBytes();
        if (!isUnwanted()) {
            watch();
        }
        if (fetch != null && part.content().isReadable()) {
            fetch.data(part.content());
        } else {
            part.release();
        }
    }

    /** Whether a connection with TLS has ended without saying so, as an attacker can make it. */
    private boolean isCutOff() {
        return !hasClosedOrderly && channel.pipeline().get(SslHandler.class) != null;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslCloseCompletionEvent closed && closed.isSuccess()) {
            hasClosedOrderly = true;
            if (state == State.IDLE) {
                pool.remove(this);
                close();
            } else if (state == State.BODY && isEndedByClose) {
                // The end of the input, for the decoder.
                channel.close();
            }
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (state == State.WHOLE) {
            finish();
        } else if (state == State.IDLE && decoder.hasSurplus()) {
            pool.remove(this);
            close();
        }
    }

    private void finish() {
        var done = fetch;
        boolean clean =
                keepAlive
                        && upload != null
                        && upload.state() == Upload.State.SENT
                        && !decoder.hasSurplus()
                        && !hasClosedOrderly
                        && channel.isActive();
        if (clean) {
            fetch = null;
            upload = null;
            paused = false;
            state = State.IDLE;
            channel.config().setAutoRead(true);
            watch();
            pool.put(this);
        } else {
            close();
        }
        if (done != null) {
            done.ended(trailers);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        lost("the origin closed the connection");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        switch (cause) {
            case DecoderException fault when fault.getCause() instanceof SSLException tls -> {
                // With TLS 1.3 an origin can refuse a handshake that is complete on this side.
                if (requests == 1 && !decoder.hasStarted()) {
                    whenRefused.accept(HandshakeFault.words(tls));
                }
                lost("the TLS of the origin failed: " + HandshakeFault.words(tls));
            }
            case DecoderException fault -> undecodable(fault);
            case IOException lost ->
                    lost("the connection to the origin failed: " + PlainWords.of(lost));
            default -> {
                LOG.atError()
                        .addKeyValue("event", "internal-error")
                        .addKeyValue("origin", origin.name())
                        .setCause(cause)
                        .log("a connection to origin {} failed", origin.name());
                failed(new Failure(Side.PROXY, Kind.BUG, cause.toString()), Repeat.NOWHERE);
            }
        }
    }

    private void undecodable(Throwable cause) {
        if (cause instanceof PrematureChannelClosureException) {
            lost("the origin closed the connection within the response head");
        } else {
            broken(Kind.MALFORMED, PlainWords.of(cause));
        }
    }

    private void lost(String detail) {
        switch (state) {
            case IDLE -> {
                pool.remove(this);
                close();
            }
            case HEAD, INTERIM, BODY -> broken(Kind.TRUNCATED, detail);
            case WHOLE -> finish();
            case CLOSED -> {}
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (upload != null) {
            upload.writabilityChanged();
            watch();
        }
    }

    void uploadMoved() {
        watch();
    }

    /** The request body will not be complete: the origin must not take it for complete. */
    void uploadBroken(Failure failure) {
        if (channel.isActive()) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
        }
        failed(failure, Repeat.NOWHERE);
    }

    private void broken(Kind kind, String detail) {
        failed(new Failure(Side.ORIGIN, kind, detail), repeat(kind));
    }

    private Repeat repeat(Kind kind) {
        if (kind != Kind.TRUNCATED || decoder.hasStarted()) {
            return Repeat.NOWHERE;
        }
        return requests > 1 ? Repeat.ANYWHERE : Repeat.ELSEWHERE;
    }

    private void failed(Failure failure, Repeat repeat) {
        var told = fetch;
        if (state == State.IDLE) {
            pool.remove(this);
        }
        close();
        if (told != null) {
            told.broken(failure, repeat);
        }
    }

    private void end() {
        state = State.CLOSED;
        endStall();
        deadline.end();
        fetch = null;
        if (upload != null) {
            upload.stop();
        }
    }

    /** Sets the deadline for the current state. */
    private void watch() {
        var limit = limit();
        if (limit == null) {
            deadline.stop();
        } else {
            deadline.start(limit);
        }
    }

    private @Nullable Duration limit() {
        return switch (state) {
            case IDLE -> MAX_IDLE;
            case HEAD, INTERIM ->
                    upload == null
                            ? null
                            : switch (upload.state()) {
                                case CONTINUE_AWAITED -> CONTINUE_WAIT;
                                // A slow client is not the origin's fault and has its own deadline.
                                case FLOWING ->
                                        channel.isWritable() ? null : deadlines.betweenBytes();
                                case FLUSHING -> deadlines.betweenBytes();
                                case SENT, STOPPED -> deadlines.firstByte();
                            };
            case BODY -> paused ? (isStalled ? null : STALL) : limitOfBody();
            case WHOLE, CLOSED -> null;
        };
    }

    private @Nullable Duration limitOfBody() {
        if (isFlowing() && channel.isWritable()) {
            return null;
        }
        var limit = betweenReads();
        return limit.isZero() ? null : limit;
    }

    private Duration betweenReads() {
        return isEventStream ? deadlines.idle() : deadlines.betweenBytes();
    }

    private boolean isFlowing() {
        return upload != null && upload.state() == Upload.State.FLOWING;
    }

    private void expired() {
        var told = fetch;
        try {
            expire();
        } catch (RuntimeException | Error bug) {
            channel.close();
            if (told != null) {
                told.bug(bug);
            }
        }
    }

    private void expire() {
        switch (state) {
            case IDLE -> {
                pool.remove(this);
                close();
            }
            case HEAD, INTERIM -> awaitedInVain();
            case BODY -> {
                if (paused && fetch != null) {
                    isStalled = true;
                    pool.stalled().add(this, fetch.client());
                } else {
                    broken(
                            Kind.TIMEOUT,
                            "no response data within " + DurationText.of(betweenReads()));
                }
            }
            case WHOLE, CLOSED -> {}
        }
    }

    private void awaitedInVain() {
        if (upload == null) {
            return;
        }
        switch (upload.state()) {
            case CONTINUE_AWAITED -> {
                upload.goOn();
                watch();
            }
            case FLOWING, FLUSHING ->
                    broken(
                            Kind.TIMEOUT,
                            "the origin read no request data within "
                                    + DurationText.of(deadlines.betweenBytes()));
            case SENT, STOPPED ->
                    broken(
                            Kind.TIMEOUT,
                            "no response within " + DurationText.of(deadlines.firstByte()));
        }
    }
}
