package dev.quire.proxy.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connection of one end of a tunnel. Confined to its loop. */
public final class TunnelChannel extends ChannelInboundHandlerAdapter implements TunnelSide {
    private static final Logger LOG = LoggerFactory.getLogger(TunnelChannel.class);

    /** How long bytes that were accepted may take to leave after the other end has closed. */
    private static final long LAST_BYTES_MILLIS = 10_000;

    private final Channel channel;
    private final TunnelEnd end;

    /** Stops reading from {@code channel} until the tunnel begins. */
    public TunnelChannel(Channel channel) {
        this.channel = channel;
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        this.end = new TunnelEnd(this);
    }

    public TunnelEnd end() {
        return end;
    }

    @Override
    public EventLoop loop() {
        return channel.eventLoop();
    }

    @Override
    public boolean isOpen() {
        return channel.isActive();
    }

    @Override
    public boolean isInputEnded() {
        return channel instanceof DuplexChannel duplex && duplex.isInputShutdown();
    }

    @Override
    public long pendingBytes() {
        return Outgoing.pendingBytes(channel);
    }

    @Override
    public void read(boolean isOn) {
        channel.config().setAutoRead(isOn);
    }

    @Override
    public boolean isWritable() {
        return channel.isWritable();
    }

    @Override
    public void write(ByteBuf bytes) {
        channel.write(bytes, channel.voidPromise());
    }

    @Override
    public void flush() {
        channel.flush();
    }

    @Override
    public void endOutput() {
        if (channel instanceof DuplexChannel duplex) {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> HalfClose.of(duplex));
        } else {
            end.close();
        }
    }

    @Override
    public void close() {
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
        if (message instanceof ByteBuf bytes) {
            end.received(bytes);
        } else {
            // The end of the 101.
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        end.readComplete();
        if (channel.isActive() && HalfClose.isInputOver(channel)) {
            end.inputEnded();
            if (HalfClose.isOutputOver(channel)) {
                end.close();
            }
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        end.writable();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        // That of TLS also comes after endOutput, with the next bytes, and when TLS breaks off.
        if (event instanceof ChannelInputShutdownEvent) {
            end.inputEnded();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end.gone();
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof IOException || cause.getCause() instanceof IOException)) {
            LOG.error("a connection of a tunnel failed", cause);
        }
        ctx.close();
    }
}
