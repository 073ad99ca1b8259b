package dev.quire.proxy.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of the two connections of a {@link Tunnel}: passes its bytes to the other one. Reading stops
 * while the other one does not take them. Confined to its loop.
 */
public final class TunnelEnd extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(TunnelEnd.class);

    /** How long bytes that were accepted may take to leave after the other end has closed. */
    private static final long LAST_BYTES_MILLIS = 10_000;

    private final Channel channel;

    /** Bytes that arrived before the tunnel began, at most one read of the socket. */
    private final ArrayDeque<ByteBuf> early = new ArrayDeque<>(1);

    private @Nullable Tunnel tunnel;
    private @Nullable TunnelEnd other;
    private boolean isInputEnded;
    private boolean isClosing;

    /** Stops reading from {@code channel} until the tunnel begins. */
    public TunnelEnd(Channel channel) {
        this.channel = channel;
        this.isInputEnded = channel instanceof DuplexChannel duplex && duplex.isInputShutdown();
        channel.config().setAutoRead(false);
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    }

    Channel channel() {
        return channel;
    }

    boolean isInputEnded() {
        return isInputEnded;
    }

    /** Bytes that the other side has not taken yet. */
    long pendingBytes() {
        var out = channel.unsafe().outboundBuffer();
        return out == null ? 0 : out.totalPendingWriteBytes();
    }

    /** Begins to pass bytes to {@code into}. */
    void passTo(TunnelEnd into, Tunnel within) {
        other = into;
        tunnel = within;
        while (!early.isEmpty()) {
            pass(early.remove(), into, within);
        }
        into.channel.flush();
        if (!channel.isActive()) {
            into.close();
        } else if (isInputEnded) {
            inputEnded(into);
        } else {
            channel.config().setAutoRead(into.channel.isWritable());
        }
    }

    /** Closes the connection once the bytes that it was given have been sent. */
    public void close() {
        if (isClosing) {
            return;
        }
        isClosing = true;
        channel.config().setAutoRead(false);
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        if (channel.isActive()) {
            var late =
                    channel.eventLoop()
                            .schedule(
                                    () -> {
                                        channel.close();
                                    },
                                    LAST_BYTES_MILLIS,
                                    TimeUnit.MILLISECONDS);
            channel.closeFuture().addListener(closed -> late.cancel(false));
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!(message instanceof ByteBuf bytes)) {
            // The end of the 101.
            ReferenceCountUtil.release(message);
        } else if (isClosing) {
            bytes.release();
        } else if (other == null || tunnel == null) {
            early.add(bytes);
        } else {
            pass(bytes, other, tunnel);
        }
    }

    private void pass(ByteBuf bytes, TunnelEnd into, Tunnel within) {
        within.passes(bytes.readableBytes(), into);
        into.channel.write(bytes, into.channel.voidPromise());
        if (!into.channel.isWritable()) {
            channel.config().setAutoRead(false);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (other != null) {
            other.channel.flush();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (other != null && channel.isWritable() && !other.isInputEnded && !other.isClosing) {
            other.channel.config().setAutoRead(true);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        boolean isEnd =
                event instanceof ChannelInputShutdownEvent
                        || event instanceof SslCloseCompletionEvent;
        if (isEnd && !isInputEnded) {
            isInputEnded = true;
            if (other != null) {
                inputEnded(other);
            }
        }
    }

    /** Passes a half-close on; when both sides have ended, closes both. */
    private void inputEnded(TunnelEnd into) {
        if (into.isInputEnded || !(into.channel instanceof DuplexChannel duplex)) {
            into.close();
            close();
        } else if (!into.isClosing) {
            into.channel
                    .writeAndFlush(Unpooled.EMPTY_BUFFER)
                    .addListener(sent -> HalfClose.of(duplex));
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        isClosing = true;
        early.forEach(ByteBuf::release);
        early.clear();
        if (other != null) {
            other.close();
        }
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof IOException)) {
            LOG.error("a connection of a tunnel failed", cause);
        }
        ctx.close();
    }
}
