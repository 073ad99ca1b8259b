package dev.quire.proxy.admin;

import dev.quire.proxy.fault.InternalErrors;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to the admin port: one request at a time, its body in memory. An executor creates
 * the responses and may block; everything else runs on the channel's loop. A client that sends
 * another request before it has received its response gets that response and a closed connection,
 * which HTTP permits (RFC 9112 §9.3.2).
 */
final class AdminHandler extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(AdminHandler.class);

    private final Endpoints api;
    private final Executor work;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final HeadDeadline deadline = new HeadDeadline();
    private State state = State.IDLE;
    private @Nullable AdminHead head;
    private boolean keepAlive;

    private enum State {
        /** Between requests. */
        IDLE,
        /** The head has been received, the body not yet. */
        BODY,
        /** The response is being created. */
        ANSWERING,
        /** The last response has been written; further input is dropped. */
        CLOSING
    }

    /**
     * @param work creates the responses; may block
     */
    AdminHandler(Endpoints api, Executor work) {
        this.api = api;
        this.work = work;
    }

    boolean isAnswering() {
        return state == State.ANSWERING;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        ctx.pipeline().addFirst(deadline);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        try {
            switch (message) {
                case HttpRequest request when state == State.IDLE -> state = begin(ctx, request);
                case HttpRequest pipelined when state == State.ANSWERING -> keepAlive = false;
                default -> {}
            }
            if (message instanceof HttpContent part && state == State.BODY) {
                state = take(ctx, part);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof IdleStateEvent && state != State.ANSWERING) {
            ctx.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("admin connection failed", cause);
        ctx.close();
    }

    private State begin(ChannelHandlerContext ctx, HttpRequest request) {
        deadline.received();
        if (request.decoderResult().isFailure()) {
            return refuse(ctx, AdminAnswer.text(400, "400 expected an HTTP/1.1 request"));
        }
        var fields = request.headers();
        var received =
                new AdminHead(
                        request.method().name(),
                        request.uri(),
                        fields.getAll(HttpHeaderNames.HOST),
                        fields.getAll(HttpHeaderNames.AUTHORIZATION),
                        fields.get(HttpHeaderNames.CONTENT_TYPE, ""),
                        fields.get(HttpHeaderNames.IF_MATCH, ""));
        var refusal = api.refusal(received);
        if (refusal.isPresent()) {
            return refuseLater(ctx, refusal.get());
        }
        if (HttpUtil.getContentLength(request, 0L) > api.maxBodyBytes()) {
            return tooLarge(ctx);
        }
        if (HttpUtil.is100ContinueExpected(request)) {
            ctx.writeAndFlush(
                    new DefaultFullHttpResponse(
                            HttpVersion.HTTP_1_1,
                            HttpResponseStatus.CONTINUE,
                            Unpooled.EMPTY_BUFFER));
        }
        head = received;
        keepAlive = isHttp11(request) && HttpUtil.isKeepAlive(request);
        body.reset();
        return State.BODY;
    }

    private State take(ChannelHandlerContext ctx, HttpContent part) {
        if (part.decoderResult().isFailure()) {
            return refuse(ctx, AdminAnswer.text(400, "400 the body is malformed"));
        }
        if (body.size() + part.content().readableBytes() > api.maxBodyBytes()) {
            return tooLarge(ctx);
        }
        body.writeBytes(ByteBufUtil.getBytes(part.content()));
        if (!(part instanceof LastHttpContent)) {
            return State.BODY;
        }
        ctx.channel().config().setAutoRead(false);
        var request = Objects.requireNonNull(head);
        var content = body.toByteArray();
        work.execute(() -> {
            var answer = answer(request, content);
            ctx.executor().execute(() -> finish(ctx, answer));
        });
        return State.ANSWERING;
    }

    private AdminAnswer answer(AdminHead request, byte[] content) {
        try {
            return api.answer(request, content);
        } catch (RuntimeException | Error e) {
            InternalErrors.log(LOG, e, "admin: {} {} failed", request.method(), request.path());
            return AdminAnswer.text(500, "500 internal error, see the log");
        }
    }

    private void finish(ChannelHandlerContext ctx, AdminAnswer answer) {
        try {
            send(ctx, answer);
        } catch (RuntimeException | Error e) {
            InternalErrors.log(LOG, e, "admin: an answer was not sent");
            ctx.close();
        }
    }

    private void send(ChannelHandlerContext ctx, AdminAnswer answer) {
        if (!keepAlive) {
            state = refuse(ctx, answer);
            return;
        }
        state = State.IDLE;
        deadline.answered();
        ctx.writeAndFlush(response(answer));
        ctx.channel().config().setAutoRead(true);
    }

    private State tooLarge(ChannelHandlerContext ctx) {
        return refuse(
                ctx,
                AdminAnswer.text(
                        413, "413 expected a body of at most " + api.maxBodyBytes() + " bytes"));
    }

    private State refuseLater(ChannelHandlerContext ctx, AdminAnswer answer) {
        var delay =
                answer.status() == 401
                        ? api.delayNanos(ctx.executor().ticker().nanoTime())
                        : OptionalLong.of(0);
        if (delay.isEmpty()) {
            ctx.close();
        } else if (delay.getAsLong() == 0) {
            refuse(ctx, answer);
        } else {
            ctx.executor()
                    .schedule(() -> refuse(ctx, answer), delay.getAsLong(), TimeUnit.NANOSECONDS);
        }
        return State.CLOSING;
    }

    /** Sends the response and closes the connection. */
    private State refuse(ChannelHandlerContext ctx, AdminAnswer answer) {
        var response = response(answer);
        response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        ctx.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        return State.CLOSING;
    }

    /**
     * HTTP/1.0 clients would need a Connection: keep-alive field, so their connections are closed.
     */
    private static boolean isHttp11(HttpRequest request) {
        return request.protocolVersion().equals(HttpVersion.HTTP_1_1);
    }

    /** The caller releases it by writing it. */
    private static FullHttpResponse response(AdminAnswer answer) {
        var body = Unpooled.copiedBuffer(answer.body(), StandardCharsets.UTF_8);
        var response =
                new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(answer.status()), body);
        var fields = response.headers();
        answer.fields().forEach(fields::set);
        fields.set(HttpHeaderNames.CONTENT_TYPE, answer.contentType());
        fields.set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
        fields.set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE);
        fields.set("x-content-type-options", "nosniff");
        return response;
    }
}
