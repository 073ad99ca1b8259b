package dev.quire.bench;

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
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A server that only writes prebuilt responses: the upper bound for a proxy on Netty. It decodes
 * requests with Netty, looks up the response by target, and writes head and body pieces, which are
 * prebuilt buffers, in one gathering write. It has no cache rules, clock, limits or log.
 *
 * <p>The first request for a target waits until its response is built, off the event loops.
 * Responses are never evicted: the set of targets must be bounded.
 */
public final class BareServer implements AutoCloseable {
    /** Name prefix of its event loop threads. */
    public static final String LOOPS = "bare-loop";

    private static final int BACKLOG = 4096;

    private final EventLoopGroup loops;
    private final Channel listening;

    private BareServer(EventLoopGroup loops, Channel listening) {
        this.loops = loops;
        this.listening = listening;
    }

    /**
     * A response ready to be written, in direct memory that is never freed.
     *
     * @param kept the buffers for a persistent connection, head first
     * @param last the buffers for a connection that is closed afterwards
     * @param head for HTTP/2
     */
    record Ready(List<ByteBuf> kept, List<ByteBuf> last, Http2Headers head) {
        /** The body, in one buffer of its own indexes. */
        ByteBuf body() {
            return Unpooled.wrappedBuffer(
                    kept.stream().skip(1).map(ByteBuf::duplicate).toArray(ByteBuf[]::new));
        }
    }

    /**
     * A response to prebuild.
     *
     * @param fields fields of the head, without Content-Length
     * @param body the pieces to write
     */
    public record Answer(int status, Map<String, String> fields, List<byte[]> body) {}

    /**
     * Starts the server with one event loop per processor, on epoll if available, else NIO.
     *
     * @param first makes the response for a target; called on a virtual thread at the first request
     *     for it. Empty is a 404
     * @throws IOException if it cannot listen on {@code address}
     */
    public static BareServer start(
            InetSocketAddress address, Function<String, Optional<Answer>> first)
            throws IOException {
        return start(address, Runtime.getRuntime().availableProcessors(), first);
    }

    /** Like {@link #start(InetSocketAddress, Function)}, with {@code loops} event loops. */
    public static BareServer start(
            InetSocketAddress address, int loops, Function<String, Optional<Answer>> first)
            throws IOException {
        return start(address, loops, first, null);
    }

    /** Like {@link #start(InetSocketAddress, Function)}, over TLS, HTTP/2 or HTTP/1.1 by ALPN. */
    public static BareServer startTls(
            InetSocketAddress address,
            Path certificate,
            Path key,
            Function<String, Optional<Answer>> first)
            throws IOException {
        return start(
                address,
                Runtime.getRuntime().availableProcessors(),
                first,
                BareTls.context(certificate, key));
    }

    private static BareServer start(
            InetSocketAddress address,
            int loops,
            Function<String, Optional<Answer>> first,
            @Nullable SslContext tls)
            throws IOException {
        boolean epoll = Epoll.isAvailable();
        var group =
                new MultiThreadIoEventLoopGroup(
                        loops,
                        new DefaultThreadFactory(LOOPS),
                        epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        var ready = new ConcurrentHashMap<String, Ready>();
        var bound =
                new ServerBootstrap()
                        .group(group)
                        .channel(
                                epoll
                                        ? EpollServerSocketChannel.class
                                        : NioServerSocketChannel.class)
                        .option(ChannelOption.SO_BACKLOG, BACKLOG)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childHandler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel channel) {
                                        var answers = new Answers(ready, first);
                                        if (tls == null) {
                                            answers.speakHttp1(channel.pipeline());
                                        } else {
                                            BareTls.begin(channel, tls, answers);
                                        }
                                    }
                                })
                        .bind(address)
                        .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            throw new IOException("cannot listen on " + address + ": " + bound.cause());
        }
        return new BareServer(group, bound.channel());
    }

    /** The listening address. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listening.localAddress();
    }

    /** Stops listening and closes all connections. */
    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private static Ready ready(Answer answer) {
        long length = answer.body().stream().mapToLong(piece -> piece.length).sum();
        var head2 = new DefaultHttp2Headers().status(Integer.toString(answer.status()));
        answer.fields().forEach((name, value) -> head2.add(name.toLowerCase(Locale.ROOT), value));
        head2.add("content-length", Long.toString(length));
        var head = new StringBuilder("HTTP/1.1 ").append(answer.status()).append(" .\r\n");
        answer.fields()
                .forEach((name, value) ->
                        head.append(name).append(": ").append(value).append("\r\n"));
        head.append("Content-Length: ").append(length).append("\r\n");
        var body = answer.body().stream().map(BareServer::direct).toList();
        return new Ready(
                whole(head + "\r\n", body), whole(head + "Connection: close\r\n\r\n", body), head2);
    }

    private static List<ByteBuf> whole(String head, List<ByteBuf> body) {
        return Stream.concat(Stream.of(direct(head.getBytes(US_ASCII))), body.stream()).toList();
    }

    private static ByteBuf direct(byte[] bytes) {
        return Unpooled.unreleasableBuffer(
                Unpooled.directBuffer(bytes.length, bytes.length).writeBytes(bytes));
    }

    /** The responses, made when they are needed first. */
    record Answers(
            ConcurrentHashMap<String, Ready> ready, Function<String, Optional<Answer>> first) {
        private static final Answer NOT_FOUND = new Answer(404, Map.of(), List.of());

        void speakHttp1(ChannelPipeline pipeline) {
            pipeline.addLast(new HttpRequestDecoder(), new Writing(this));
        }

        /** Passes the response for {@code target} on, now or later on the loop of {@code ctx}. */
        void answer(ChannelHandlerContext ctx, String target, Consumer<Ready> writing) {
            var answer = ready.get(target);
            if (answer != null) {
                writing.accept(answer);
            } else {
                Thread.ofVirtual().start(() -> prepare(ctx, target, writing));
            }
        }

        private void prepare(ChannelHandlerContext ctx, String target, Consumer<Ready> writing) {
            boolean made = false;
            try {
                var answer = BareServer.ready(first.apply(target).orElse(NOT_FOUND));
                ready.put(target, answer);
                made = true;
                ctx.executor()
                        .execute(() -> {
                            writing.accept(answer);
                            // Through all handlers: that of HTTP/2 writes pending DATA first.
                            ctx.pipeline().flush();
                        });
            } finally {
                if (!made) {
                    ctx.close();
                }
            }
        }
    }

    /** Answers the requests of one connection. Pipelined requests may be answered out of order. */
    private static final class Writing extends ChannelInboundHandlerAdapter {
        private final Answers answers;

        Writing(Answers answers) {
            this.answers = answers;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof HttpRequest request) {
                boolean keep = HttpUtil.isKeepAlive(request);
                answers.answer(ctx, request.uri(), answer -> write(ctx, answer, keep));
            }
            ReferenceCountUtil.release(message);
        }

        private static void write(ChannelHandlerContext ctx, Ready answer, boolean keep) {
            var buffers = keep ? answer.kept() : answer.last();
            int end = buffers.size() - 1;
            for (int i = 0; i < end; i++) {
                ctx.write(buffers.get(i).duplicate(), ctx.voidPromise());
            }
            var written = ctx.write(buffers.get(end).duplicate());
            if (!keep) {
                written.addListener(ChannelFutureListener.CLOSE);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush();
        }

        /** Ignores clients that disconnect; prints any other error. */
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            if (!(cause instanceof IOException)) {
                cause.printStackTrace();
            }
            ctx.close();
        }
    }
}
