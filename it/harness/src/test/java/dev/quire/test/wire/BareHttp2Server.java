package dev.quire.test.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.test.wire.internal.TestCertificate;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamFrame;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * A server of HTTP/2 with Netty's codec and nothing else. It answers with the request's pseudo
 * fields, fields and body; {@code /broken} resets the stream inside the body.
 */
final class BareHttp2Server implements AutoCloseable {
    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ChannelGroup connections = new DefaultChannelGroup(loops.next());
    private final Channel listener;

    BareHttp2Server(boolean isSecure) throws SSLException {
        var tls = isSecure ? tls() : null;
        listener =
                new ServerBootstrap()
                        .group(loops)
                        .channel(NioServerSocketChannel.class)
                        .childHandler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel channel) {
                                        connections.add(channel);
                                        initialize(channel, tls);
                                    }
                                })
                        .bind("127.0.0.1", 0)
                        .syncUninterruptibly()
                        .channel();
    }

    private static SslContext tls() throws SSLException {
        var certificate = TestCertificate.shared();
        return SslContextBuilder.forServer(
                        certificate.certificate().toFile(), certificate.key().toFile())
                .sslProvider(SslProvider.JDK)
                .applicationProtocolConfig(
                        new ApplicationProtocolConfig(
                                ApplicationProtocolConfig.Protocol.ALPN,
                                ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                                ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                                ApplicationProtocolNames.HTTP_2))
                .build();
    }

    private static void initialize(Channel channel, @Nullable SslContext tls) {
        if (tls != null) {
            channel.pipeline().addLast(tls.newHandler(channel.alloc()));
        }
        channel.pipeline()
                .addLast(
                        Http2FrameCodecBuilder.forServer().build(),
                        new Http2MultiplexHandler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel stream) {
                                        stream.pipeline().addLast(new Echo());
                                    }
                                }));
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    @Override
    public void close() {
        if (loops.isShutdown()) {
            return;
        }
        listener.close().syncUninterruptibly();
        connections.close().awaitUninterruptibly();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private static final class Echo extends SimpleChannelInboundHandler<Http2StreamFrame> {
        private final StringBuilder text = new StringBuilder();
        private Http2Headers head = new DefaultHttp2Headers();

        @Override
        protected void channelRead0(ChannelHandlerContext context, Http2StreamFrame frame) {
            switch (frame) {
                case Http2HeadersFrame fields -> {
                    if (text.isEmpty()) {
                        head = fields.headers();
                    }
                    fields.headers()
                            .forEach(field ->
                                    text.append(field.getKey())
                                            .append('=')
                                            .append(field.getValue())
                                            .append('\n'));
                    if (fields.isEndStream()) {
                        answer(context);
                    }
                }
                case Http2DataFrame data -> {
                    text.append(data.content().toString(UTF_8));
                    if (data.isEndStream()) {
                        answer(context);
                    }
                }
                default -> {}
            }
        }

        private void answer(ChannelHandlerContext context) {
            var path = head.path().toString();
            var response = new DefaultHttp2Headers().status("200").add("x-path", path);
            if (path.equals("/interim")) {
                context.write(
                        new DefaultHttp2HeadersFrame(
                                new DefaultHttp2Headers().status("103"), false));
            }
            context.write(
                    new DefaultHttp2HeadersFrame(
                            response, head.method().toString().equals("HEAD")));
            if (path.equals("/broken")) {
                context.writeAndFlush(
                        new DefaultHttp2DataFrame(Unpooled.copiedBuffer("half", UTF_8), false));
                // A client may forget what it has not read when the reset arrives.
                context.executor()
                        .schedule(
                                () ->
                                        context.writeAndFlush(
                                                new DefaultHttp2ResetFrame(
                                                        Http2Error.INTERNAL_ERROR)),
                                200,
                                TimeUnit.MILLISECONDS);
            } else if (!head.method().toString().equals("HEAD")) {
                var times = path.equals("/large") ? 200_000 / text.length() + 1 : 1;
                var body = Unpooled.copiedBuffer(text.toString().repeat(times), UTF_8);
                context.write(new DefaultHttp2DataFrame(body, !path.equals("/trailers")));
                if (path.equals("/trailers")) {
                    context.write(
                            new DefaultHttp2HeadersFrame(
                                    new DefaultHttp2Headers().add("x-sum", "1"), true));
                }
                context.flush();
            } else {
                context.flush();
            }
        }
    }
}
