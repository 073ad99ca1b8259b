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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.function.ToLongFunction;

/**
 * An origin that answers each URL with a {@link StampedBody} of its present version, and counts
 * requests. The version is its validator. A POST makes a new version.
 */
public final class StampedOrigin implements AutoCloseable {
    private static final int BACKLOG = 4096;
    private static final long FIRST_VERSION = 1;

    /** The request field that selects a variant. */
    public static final String VARIANT = "X-Variant";

    /**
     * A resource.
     *
     * @param bytes of its body
     * @param tags separated by blanks
     * @param caching the value of Cache-Control
     * @param includes the targets of the fragments behind the body; if there are any, it is a page
     * @param delay of the response
     * @param varies the versions that have {@code Vary} with {@link #VARIANT}
     */
    public record Resource(
            int bytes,
            String tags,
            String caching,
            List<String> includes,
            Duration delay,
            LongPredicate varies) {
        public Resource {
            includes = List.copyOf(includes);
        }

        /** A resource without variants. */
        public Resource(
                int bytes, String tags, String caching, List<String> includes, Duration delay) {
            this(bytes, tags, caching, includes, delay, version -> false);
        }

        /** An object that is cacheable for an hour. */
        public Resource(int bytes, String tags) {
            this(bytes, tags, "max-age=3600", List.of(), Duration.ZERO);
        }
    }

    private final LongAdder requests = new LongAdder();
    private final LongAdder responseBytes = new LongAdder();

    /** Of the URLs that have more than one version. */
    private final Map<String, Long> versions = new ConcurrentHashMap<>();

    private final Function<String, Resource> site;
    private volatile ToLongFunction<String> posting = this::change;
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
    public static StampedOrigin start(Function<String, Resource> site) {
        return new StampedOrigin(site);
    }

    public int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    /** The number of GETs so far. */
    public long requests() {
        return requests.sum();
    }

    /** The length of the responses to GETs so far, with their heads. */
    public long responseBytes() {
        return responseBytes.sum();
    }

    public long version(String url) {
        return versions.getOrDefault(url, FIRST_VERSION);
    }

    /** Makes a new version of {@code url} and returns it. */
    public long change(String url) {
        return versions.merge(url, FIRST_VERSION + 1, (old, first) -> old + 1);
    }

    /** Has POSTs make a new version by {@code change}, which is to call {@link #change}. */
    public void changeBy(ToLongFunction<String> change) {
        posting = change;
    }

    /** The name in the body of a variant. */
    public static String variant(String url, String value) {
        return url + ";" + value;
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
                var url = request.headers().get(HttpHeaderNames.HOST, "") + request.uri();
                var resource = site.apply(url);
                boolean isLast = !HttpUtil.isKeepAlive(request);
                if (resource.delay().isZero()) {
                    write(ctx, answer(request, url, resource), isLast);
                } else {
                    var answer = answer(request, url, resource);
                    ctx.executor()
                            .schedule(
                                    () -> write(ctx, answer, isLast),
                                    resource.delay().toNanos(),
                                    TimeUnit.NANOSECONDS);
                }
            }
            ReferenceCountUtil.release(message);
        }

        private static void write(ChannelHandlerContext ctx, ByteBuf answer, boolean isLast) {
            var written = ctx.writeAndFlush(answer);
            if (isLast) {
                written.addListener(ChannelFutureListener.CLOSE);
            }
        }

        private ByteBuf answer(HttpRequest request, String url, Resource resource) {
            if (request.method().equals(HttpMethod.POST)) {
                return whole(
                        "Content-Type: text/plain\r\nCache-Control: no-store",
                        StampedBody.of(url, posting.applyAsLong(url), 0));
            }
            requests.increment();
            var answer = present(request, url, resource);
            responseBytes.add(answer.readableBytes());
            return answer;
        }

        /** Returns the present version, or that it is the one that the proxy has. */
        private ByteBuf present(HttpRequest request, String url, Resource resource) {
            long version = version(url);
            boolean isVariant = resource.varies().test(version);
            var value = request.headers().get(VARIANT, "");
            var tag = "\"%d%s\"".formatted(version, isVariant ? "-" + value : "");
            var fields =
                    "Cache-Control: %s\r\nSurrogate-Key: %s\r\nETag: %s%s"
                            .formatted(
                                    resource.caching(),
                                    resource.tags(),
                                    tag,
                                    isVariant ? "\r\nVary: " + VARIANT : "");
            if (tag.equals(request.headers().get(HttpHeaderNames.IF_NONE_MATCH))) {
                var head = "HTTP/1.1 304 Not Modified\r\n" + fields + "\r\n\r\n";
                return Unpooled.wrappedBuffer(head.getBytes(US_ASCII));
            }
            var own =
                    StampedBody.of(
                            isVariant ? variant(url, value) : url, version, resource.bytes());
            if (resource.includes().isEmpty()) {
                return whole("Content-Type: text/plain\r\n" + fields, own);
            }
            var tags = new StringBuilder();
            for (var include : resource.includes()) {
                tags.append("<esi:include src=\"").append(include).append("\"/>");
            }
            return whole(
                    "Content-Type: text/html\r\nSurrogate-Control: content=\"ESI/1.0\"\r\n"
                            + fields,
                    own,
                    tags.toString().getBytes(US_ASCII));
        }

        private static ByteBuf whole(String fields, byte[]... parts) {
            var body = Unpooled.wrappedBuffer(parts);
            var head =
                    "HTTP/1.1 200 OK\r\n%s\r\nContent-Length: %d\r\n\r\n"
                            .formatted(fields, body.readableBytes());
            return Unpooled.wrappedBuffer(Unpooled.copiedBuffer(head, US_ASCII), body);
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
