package dev.quire.bench.peers;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;

/**
 * Serves {@link Site} in a separate process, so that its CPU time is not counted with another's.
 * Counts requests: {@link #REQUESTS} returns the count. Ignores request bodies. Exits at the end of
 * its standard input, so that it does not outlive its parent.
 */
final class Origin {
    /** The target that returns the number of requests so far; not counted itself. */
    static final String REQUESTS = "/control/requests";

    /**
     * From this request on, every second target of {@code /outage} has an error; not counted
     * itself.
     */
    static final String FAIL = "/control/fail";

    private static final Pattern FAILING = Pattern.compile("/outage/\\d*[02468]");

    private static final int BACKLOG = 4096;

    /** Articles are not cached, they would be 320 MiB; everything else fits. */
    private static final int REMEMBERED = 2000;

    private static final DateTimeFormatter DATE =
            DateTimeFormatter.RFC_1123_DATE_TIME.withZone(ZoneOffset.UTC);

    private final LongAdder requests = new LongAdder();
    private final Map<String, Optional<Site.Served>> remembered = new ConcurrentHashMap<>();
    private volatile boolean isFailing;

    private Origin() {}

    /** Takes the port to listen on, on the loopback address. */
    public static void main(String[] arguments) throws Exception {
        var origin = new Origin();
        boolean epoll = Epoll.isAvailable();
        var loops =
                new MultiThreadIoEventLoopGroup(
                        epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        new ServerBootstrap()
                .group(loops)
                .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(
                        new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel channel) {
                                channel.pipeline()
                                        .addLast(new HttpRequestDecoder(), origin.new Answering());
                            }
                        })
                .bind(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]))
                .sync();
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }

    private Optional<Site.Served> serve(String target, String cookie) {
        var known = remembered.get(target);
        if (known != null) {
            return known;
        }
        var served = Site.serve(target, cookie);
        if (!target.endsWith("/mine") && remembered.size() < REMEMBERED) {
            remembered.put(target, served);
        }
        return served;
    }

    /** Answers the requests of one connection. */
    private final class Answering extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof HttpRequest request) {
                boolean keep = HttpUtil.isKeepAlive(request);
                if (request.uri().equals(REQUESTS)) {
                    write(ctx, text("200 OK", Long.toString(requests.sum())), keep);
                } else if (request.uri().equals(FAIL)) {
                    isFailing = true;
                    write(ctx, text("200 OK", "every second target of /outage fails\n"), keep);
                } else {
                    requests.increment();
                    answer(ctx, request, keep);
                }
            }
            ReferenceCountUtil.release(message);
        }

        private void answer(ChannelHandlerContext ctx, HttpRequest request, boolean keep) {
            if (isFailing && FAILING.matcher(request.uri()).matches()) {
                write(ctx, text("503 Service Unavailable", "out of order\n"), keep);
                return;
            }
            var cookie = request.headers().get(HttpHeaderNames.COOKIE, "");
            var served = serve(request.uri(), cookie).orElse(null);
            if (served == null) {
                write(ctx, text("404 Not Found", "nothing is here\n"), keep);
                return;
            }
            var bytes =
                    answer(
                            "200 OK",
                            served.contentType(),
                            served.cacheControl(),
                            served.assembled(),
                            served.body().getBytes(ISO_8859_1));
            if (served.delay().isZero()) {
                write(ctx, bytes, keep);
            } else {
                ctx.executor()
                        .schedule(
                                () -> write(ctx, bytes, keep),
                                served.delay().toNanos(),
                                TimeUnit.NANOSECONDS);
            }
        }

        private static ByteBuf text(String status, String text) {
            return answer(status, "text/plain", "no-store", false, text.getBytes(US_ASCII));
        }

        private static ByteBuf answer(
                String status, String type, String cacheControl, boolean assembled, byte[] body) {
            var head =
                    "HTTP/1.1 "
                            + status
                            + "\r\nDate: "
                            + DATE.format(ZonedDateTime.now(ZoneOffset.UTC))
                            + "\r\nContent-Type: "
                            + type
                            + "\r\nCache-Control: "
                            + cacheControl
                            + (assembled ? "\r\nSurrogate-Control: content=\"ESI/1.0\"" : "")
                            + "\r\nContent-Length: "
                            + body.length
                            + "\r\n\r\n";
            return Unpooled.wrappedBuffer(head.getBytes(US_ASCII), body);
        }

        private static void write(ChannelHandlerContext ctx, ByteBuf answer, boolean keep) {
            var written = ctx.writeAndFlush(answer);
            if (!keep) {
                written.addListener(ChannelFutureListener.CLOSE);
            }
        }

        /** Ignores targets that disconnect; prints any other error. */
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            if (!(cause instanceof IOException)) {
                cause.printStackTrace();
            }
            ctx.close();
        }
    }
}
