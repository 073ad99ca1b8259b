package dev.quire.proxy.tls;

import dev.quire.proxy.tls.TlsEvents.Handshake;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SniCompletionEvent;
import io.netty.handler.ssl.SniHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.util.AsyncMapping;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The TLS handshake of a client's connection: selects the certificates by the name that the client
 * sends. Confined to the connection's loop.
 */
public final class ServerHandshake extends SniHandler {
    private static final int MAX_HELLO_BYTES = 16 * 1024;
    private static final int CLOSE_MILLIS = 3_000;
    private static final AsyncMapping<String, SslContext> UNUSED =
            (name, promise) -> promise.setFailure(new IllegalStateException("not used"));

    private final ServerTls tls;
    private final List<String> protocols;
    private final long untilNanos;
    private final Consumer<TlsConnection> whenComplete;
    private EventExecutor loop;
    private Handshake failure = Handshake.FAILED;
    private @Nullable TlsIdentity identity;
    private List<String> offered = List.of();

    /**
     * @param protocols the application protocols of the listener
     * @param timeoutMillis for the whole handshake
     * @param nowNanos on the loop's clock
     * @param whenComplete installs what handles the decrypted bytes
     */
    @SuppressWarnings("NullAway.Init") // loop is set before the first event
    public ServerHandshake(
            ServerTls tls,
            List<String> protocols,
            long timeoutMillis,
            long nowNanos,
            Consumer<TlsConnection> whenComplete) {
        super(UNUSED, MAX_HELLO_BYTES, timeoutMillis);
        this.tls = tls;
        this.protocols = protocols;
        this.untilNanos = nowNanos + timeoutMillis * 1_000_000;
        this.whenComplete = whenComplete;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
        loop = ctx.executor();
        ctx.pipeline().addAfter(ctx.name(), null, new Completion());
        super.handlerAdded(ctx);
    }

    @Override
    protected Future<SslContext> lookup(ChannelHandlerContext ctx, @Nullable ByteBuf clientHello)
            throws Exception {
        offered = clientHello == null ? List.of() : ClientHello.protocols(clientHello);
        return super.lookup(ctx, clientHello);
    }

    @Override
    protected Future<SslContext> lookup(ChannelHandlerContext ctx, @Nullable String name) {
        if (!offered.isEmpty() && Collections.disjoint(offered, protocols)) {
            return refused(ctx, Handshake.NO_PROTOCOL, TlsAlert.NO_APPLICATION_PROTOCOL);
        }
        var found = tls.select(name);
        var context = found == null ? null : found.context(protocols);
        if (context == null) {
            return refused(ctx, Handshake.UNKNOWN_NAME, TlsAlert.UNRECOGNIZED_NAME);
        }
        identity = found;
        return ctx.executor().newSucceededFuture(context);
    }

    /** The client does not speak TLS. */
    public void willNotBegin() {
        failure = Handshake.NO_TLS;
    }

    private Future<SslContext> refused(
            ChannelHandlerContext ctx, Handshake reason, TlsAlert alert) {
        failure = reason;
        ctx.writeAndFlush(Unpooled.wrappedBuffer(alert.record()));
        return ctx.executor().newFailedFuture(new SSLException(reason.toString()));
    }

    @Override
    protected SslHandler newSslHandler(SslContext context, ByteBufAllocator allocator) {
        var handler = super.newSslHandler(context, allocator);
        if (identity != null && handler.engine() instanceof ReferenceCountedOpenSslEngine engine) {
            identity.staple().ifPresent(engine::setOcspResponse);
        }
        handler.setCloseNotifyFlushTimeoutMillis(CLOSE_MILLIS);
        long left = (untilNanos - loop.ticker().nanoTime()) / 1_000_000;
        handler.setHandshakeTimeoutMillis(Math.max(1, left));
        return handler;
    }

    /** Waits for the end of the handshake. */
    private final class Completion extends ChannelInboundHandlerAdapter {
        private boolean isOver;

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
            if (event instanceof SslHandshakeCompletionEvent completion) {
                if (completion.isSuccess()) {
                    completed(ctx);
                } else {
                    failed(ctx, completion.cause());
                }
            } else if (event instanceof SniCompletionEvent hello && !hello.isSuccess()) {
                failed(ctx, hello.cause());
            } else {
                super.userEventTriggered(ctx, event);
            }
        }

        private void completed(ChannelHandlerContext ctx) {
            var handler = ctx.pipeline().get(SslHandler.class);
            if (isOver || handler == null || identity == null) {
                return;
            }
            isOver = true;
            // BoringSSL sends nothing until the first response. A client with Nagle's algorithm
            // sends its first request only when the end of its handshake is acknowledged.
            if (ctx.channel() instanceof EpollSocketChannel socket && socket.isActive()) {
                socket.config().setTcpQuickAck(true);
            }
            var session = handler.engine().getSession();
            var client = certificates(session);
            if (!client.isEmpty() && !tls.isValid(client.getFirst())) {
                isOver = false;
                failed(ctx, new SSLException("the certificate of the client is not valid now"));
                return;
            }
            var agreed = handler.applicationProtocol();
            tls.completed(session.getProtocol());
            whenComplete.accept(
                    new TlsConnection(
                            identity, session.getProtocol(), agreed == null ? "" : agreed, client));
            // Its successors get what has arrived behind the handshake.
            ctx.pipeline().remove(this);
        }

        private void failed(ChannelHandlerContext ctx, Throwable cause) {
            if (!isOver) {
                isOver = true;
                tls.failed(
                        cause instanceof SslHandshakeTimeoutException
                                ? Handshake.TIMEOUT
                                : failure);
                ctx.close();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) throws Exception {
            failed(ctx, new SSLException("closed"));
            super.channelInactive(ctx);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            failed(ctx, cause);
        }
    }

    private static List<X509Certificate> certificates(SSLSession session) {
        try {
            return Arrays.stream(session.getPeerCertificates())
                    .map(X509Certificate.class::cast)
                    .toList();
        } catch (SSLPeerUnverifiedException none) {
            return List.of();
        }
    }
}
