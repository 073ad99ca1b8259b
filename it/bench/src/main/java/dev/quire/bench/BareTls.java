package dev.quire.bench;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2ConnectionHandlerBuilder;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Path;

/**
 * TLS and HTTP/2 of a {@link BareServer}: BoringSSL, and Netty's frame listener without a channel
 * for each stream.
 */
final class BareTls {

    private BareTls() {}

    static SslContext context(Path certificate, Path key) throws IOException {
        return SslContextBuilder.forServer(certificate.toFile(), key.toFile())
                .sslProvider(SslProvider.OPENSSL)
                .applicationProtocolConfig(
                        new ApplicationProtocolConfig(
                                Protocol.ALPN,
                                SelectorFailureBehavior.NO_ADVERTISE,
                                SelectedListenerFailureBehavior.ACCEPT,
                                ApplicationProtocolNames.HTTP_2,
                                ApplicationProtocolNames.HTTP_1_1))
                .build();
    }

    /** Adds the handlers of a new connection. */
    static void begin(Channel channel, SslContext tls, BareServer.Answers answers) {
        channel.pipeline()
                .addLast(
                        tls.newHandler(channel.alloc()),
                        new ApplicationProtocolNegotiationHandler(
                                ApplicationProtocolNames.HTTP_1_1) {
                            @Override
                            protected void configurePipeline(
                                    ChannelHandlerContext ctx, String protocol) {
                                if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
                                    ctx.pipeline().addLast(streams(answers));
                                } else {
                                    answers.speakHttp1(ctx.pipeline());
                                }
                            }
                        });
    }

    private static Http2ConnectionHandler streams(BareServer.Answers answers) {
        return new Http2ConnectionHandlerBuilder()
                .server(true)
                .frameListener(new Streams(answers))
                .build();
    }

    /** Answers each request when its head is complete. */
    private static final class Streams extends Http2FrameAdapter {
        private final BareServer.Answers answers;

        Streams(BareServer.Answers answers) {
            this.answers = answers;
        }

        @Override
        public void onHeadersRead(
                ChannelHandlerContext ctx,
                int streamId,
                Http2Headers headers,
                int streamDependency,
                short weight,
                boolean exclusive,
                int padding,
                boolean endOfStream) {
            var path = headers.path();
            answers.answer(
                    ctx,
                    path == null ? "" : path.toString(),
                    answer -> {
                        var encoder = ((Http2ConnectionHandler) ctx.handler()).encoder();
                        encoder.writeHeaders(
                                ctx, streamId, answer.head(), 0, false, ctx.newPromise());
                        encoder.writeData(ctx, streamId, answer.body(), 0, true, ctx.newPromise());
                    });
        }

        @Override
        public void onHeadersRead(
                ChannelHandlerContext ctx,
                int streamId,
                Http2Headers headers,
                int padding,
                boolean endOfStream) {
            onHeadersRead(ctx, streamId, headers, 0, (short) 0, false, padding, endOfStream);
        }
    }
}
