package dev.quire.proxy.listen;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the header of the PROXY protocol with which a connection begins, then leaves the pipeline.
 * Closes the connection if the header is absent, malformed or late.
 */
final class ProxyHandshake extends ByteToMessageDecoder {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyHandshake.class);
    static final long LIMIT_MILLIS = 3_000;

    private final InetAddress peer;
    private final Consumer<ProxyHeaderResult> results;
    private final Consumer<ProxyHeader> whenRead;
    private @Nullable ScheduledFuture<?> limit;
    private boolean isOver;

    /**
     * @param peer the other end of the connection
     * @param results is notified once
     * @param whenRead installs the handlers of the bytes behind the header
     */
    ProxyHandshake(
            InetAddress peer, Consumer<ProxyHeaderResult> results, Consumer<ProxyHeader> whenRead) {
        this.peer = peer;
        this.results = results;
        this.whenRead = whenRead;
        setSingleDecode(true);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        limit =
                ctx.executor()
                        .schedule(
                                () -> refused(ctx, ProxyHeaderResult.LATE, "incomplete"),
                                LIMIT_MILLIS,
                                TimeUnit.MILLISECONDS);
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (isOver) {
            in.skipBytes(in.readableBytes());
            return;
        }
        ProxyHeader header;
        try {
            header = ProxyHeader.read(in);
        } catch (ProxyHeader.Malformed malformed) {
            in.skipBytes(in.readableBytes());
            refused(
                    ctx,
                    malformed.isAbsent() ? ProxyHeaderResult.ABSENT : ProxyHeaderResult.MALFORMED,
                    String.valueOf(malformed.getMessage()));
            return;
        }
        if (header == null) {
            return;
        }
        in.skipBytes(header.bytes());
        over(header.client() == null ? ProxyHeaderResult.LOCAL : ProxyHeaderResult.NAMED);
        LOG.debug("PROXY header from {}: {}", peer, header.client());
        whenRead.accept(header);
        if (ctx.channel().isActive()) {
            ctx.fireChannelActive();
        }
        // Passes on the bytes behind the header.
        ctx.pipeline().remove(this);
    }

    private void refused(ChannelHandlerContext ctx, ProxyHeaderResult result, String why) {
        if (!isOver) {
            over(result);
            LOG.debug("connection from {} closed, PROXY header: {}", peer, why);
            ctx.close();
        }
    }

    private void over(ProxyHeaderResult result) {
        isOver = true;
        if (limit != null) {
            limit.cancel(false);
        }
        results.accept(result);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
        if (event instanceof ChannelInputShutdownEvent) {
            refused(ctx, ProxyHeaderResult.CUT, "cut");
        }
        super.userEventTriggered(ctx, event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        refused(ctx, ProxyHeaderResult.CUT, "cut");
        super.channelInactive(ctx);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        refused(ctx, ProxyHeaderResult.CUT, String.valueOf(cause.getMessage()));
    }
}
