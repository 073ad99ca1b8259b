package dev.quire.bench.kill;

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
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * An origin that answers each URL with a {@link StampedBody} of its present version, cacheable for
 * an hour, and counts requests. A POST makes a new version.
 */
final class StampedOrigin implements AutoCloseable {
    private static final int BACKLOG = 4096;
    private static final long FIRST_VERSION = 1;

    /**
     * A resource.
     *
     * @param bytes of its body
     * @param tags separated by blanks
     */
    record Resource(int bytes, String tags) {}

    private final LongAdder requests = new LongAdder();

    /** Of the URLs that have more than one version. */
    private final Map<String, Long> versions = new ConcurrentHashMap<>();

    private final Function<String, Resource> site;
    private final EventLoopGroup loops;
    private final Channel listening;

    private StampedOrigin(Function<String, Resource> site) {
        this.site = site;
        this.loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        this.listening =
                new ServerBootstrap()
                        .group(loops)
                        .channel(NioServerSocketChannel.class)
                        .option(ChannelOption.SO_BACKLOG, BACKLOG)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childHandler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel channel) {
                                        channel.pipeline()
                                                .addLast(new HttpRequestDecoder(), new Answering());
                                    }
                                })
                        .bind(InetAddress.getLoopbackAddress(), 0)
                        .syncUninterruptibly()
                        .channel();
    }

    /**
     * Starts it on a free port of the loopback address.
     *
     * @param site the resource of a URL, which is host and target: {@code news.example/front}
     */
    static StampedOrigin start(Function<String, Resource> site) {
        return new StampedOrigin(site);
    }

    int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    /** The number of GETs so far. */
    long requests() {
        return requests.sum();
    }

    long version(String url) {
        return versions.getOrDefault(url, FIRST_VERSION);
    }

    /** Makes a new version of {@code url} and returns it. */
    long change(String url) {
        return versions.merge(url, FIRST_VERSION + 1, (old, first) -> old + 1);
    }

    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private final class Answering extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof HttpRequest request) {
                var written = ctx.writeAndFlush(answer(request));
                if (!HttpUtil.isKeepAlive(request)) {
                    written.addListener(ChannelFutureListener.CLOSE);
                }
            }
            ReferenceCountUtil.release(message);
        }

        private ByteBuf answer(HttpRequest request) {
            var url = request.headers().get(HttpHeaderNames.HOST, "") + request.uri();
            var resource = site.apply(url);
            if (request.method().equals(HttpMethod.POST)) {
                return whole("Cache-Control: no-store", StampedBody.of(url, change(url), 0));
            }
            requests.increment();
            return whole(
                    "Cache-Control: max-age=3600\r\nSurrogate-Key: " + resource.tags(),
                    StampedBody.of(url, version(url), resource.bytes()));
        }

        private static ByteBuf whole(String fields, byte[] body) {
            var head =
                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n%s\r\nContent-Length: %d\r\n\r\n"
                            .formatted(fields, body.length);
            return Unpooled.wrappedBuffer(head.getBytes(US_ASCII), body);
        }

        /** Ignores a proxy that was killed; prints any other error. */
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            if (!(cause instanceof IOException)) {
                cause.printStackTrace();
            }
            ctx.close();
        }
    }
}
