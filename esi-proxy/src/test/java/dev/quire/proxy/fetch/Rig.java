package dev.quire.proxy.fetch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.RequestBody;
import dev.quire.proxy.route.Origin;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A fetcher and its origin within one thread: loops turn and time passes only when told, so a test
 * sees every step and nothing is left to chance.
 */
final class Rig implements AutoCloseable {

    /** One accepted connection, seen from the origin. */
    static final class Peer extends ChannelInboundHandlerAdapter {
        private final StringBuilder received = new StringBuilder();
        private final List<ByteBuf> said = new ArrayList<>();
        private @Nullable Channel channel;

        /** Everything received since the last call. */
        String heard() {
            var text = received.toString();
            received.setLength(0);
            return text;
        }

        boolean isClosed() {
            return !channel().isActive();
        }

        Channel channel() {
            if (channel == null) {
                throw new IllegalStateException("the connection is not accepted yet");
            }
            return channel;
        }

        void say(String bytes) {
            var data = Unpooled.copiedBuffer(bytes, ISO_8859_1);
            said.add(data);
            channel().writeAndFlush(data);
        }

        void close() {
            channel().close();
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            channel = ctx.channel();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            var data = (ByteBuf) message;
            received.append(data.toString(ISO_8859_1));
            data.release();
        }
    }

    /** Where connecting takes for ever. */
    static final LocalAddress ABYSS = new LocalAddress("abyss");

    /** Connecting to {@link #ABYSS} neither succeeds nor fails until the channel is closed. */
    private static final class Swallow extends ChannelOutboundHandlerAdapter {
        private @Nullable ChannelPromise connecting;

        @Override
        public void connect(
                ChannelHandlerContext ctx,
                SocketAddress remote,
                SocketAddress local,
                ChannelPromise promise) {
            if (remote.equals(ABYSS)) {
                connecting = promise;
            } else {
                ctx.connect(remote, local, promise);
            }
        }

        @Override
        public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
            if (connecting != null) {
                connecting.tryFailure(new ClosedChannelException());
            }
            ctx.close(promise);
        }
    }

    /** Sets up the origin's limits; defaults are generous. */
    static final class Limits {
        int maxConnections = 8;
        int maxQueue = 8;
        int retries = 1;

        Limits connections(int count) {
            maxConnections = count;
            return this;
        }

        Limits queue(int count) {
            maxQueue = count;
            return this;
        }

        Limits retries(int count) {
            retries = count;
            return this;
        }
    }

    static final Duration CONNECT = Duration.ofSeconds(2);
    static final Duration FIRST_BYTE = Duration.ofSeconds(15);
    static final Duration BETWEEN_BYTES = Duration.ofSeconds(10);

    final MockTicker ticker = Ticker.newMockTicker();
    final ManualIoEventLoop loop = newLoop();
    final ManualIoEventLoop otherLoop = newLoop();
    final ManualIoEventLoop originLoop = newLoop();
    final List<LocalChannel> channels = new ArrayList<>();
    final List<Peer> peers = new ArrayList<>();
    int retries;
    final Fetcher fetcher;
    private final LocalAddress address = new LocalAddress(Rig.class);
    private final Channel server;

    Rig() {
        this(new Limits());
    }

    Rig(Limits limits) {
        this(limits, null);
    }

    /** With {@code addresses} instead of the rig's own. */
    Rig(Limits limits, @Nullable Addresses addresses) {
        server =
                new ServerBootstrap()
                        .group(originLoop)
                        .channel(LocalServerChannel.class)
                        .childHandler(
                                new ChannelInitializer<>() {
                                    @Override
                                    protected void initChannel(Channel accepted) {
                                        var peer = new Peer();
                                        peers.add(peer);
                                        accepted.pipeline().addLast(peer);
                                    }
                                })
                        .bind(address)
                        .channel();
        var origin =
                new Origin(
                        "news",
                        URI.create("http://origin.test:8081"),
                        CONNECT,
                        FIRST_BYTE,
                        BETWEEN_BYTES,
                        limits.maxConnections,
                        limits.maxQueue,
                        limits.retries);
        fetcher =
                new Fetcher(
                        origin,
                        this::newChannel,
                        addresses == null ? Addresses.only(address) : addresses,
                        () -> retries++);
        turn();
    }

    private LocalChannel newChannel() {
        var channel = new LocalChannel();
        channel.pipeline().addLast(new Swallow());
        channels.add(channel);
        return channel;
    }

    private ManualIoEventLoop newLoop() {
        return new ManualIoEventLoop(
                null, Thread.currentThread(), LocalIoHandler.newFactory(), ticker);
    }

    SocketAddress address() {
        return address;
    }

    static OriginRequest get(String target) {
        return request("GET", target, null);
    }

    static OriginRequest request(String method, String target, @Nullable RequestBody body) {
        var head =
                new RequestHead(
                        method, Scheme.HTTP, "news.test", target, Fields.of("Host", "news.test"));
        return new OriginRequest(head, body);
    }

    /** Sends a request from the first loop and lets it reach the origin. */
    Recorder fetch(OriginRequest request) {
        return fetch(request, loop, new Recorder());
    }

    Recorder fetch(OriginRequest request, ManualIoEventLoop from, Recorder recorder) {
        recorder.controlledBy(fetcher.fetch(request, from, recorder));
        turn();
        return recorder;
    }

    /** The connection accepted last. */
    Peer peer() {
        return peers.getLast();
    }

    /** The origin sends {@code bytes} on the connection accepted last, and they arrive. */
    void answer(String bytes) {
        peer().say(bytes);
        turn();
    }

    /** A whole exchange that leaves its connection idle. */
    void exchange() {
        var recorder = fetch(get("/before"));
        peer().heard();
        answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        assertThat(recorder.events).containsExactly("head 200", "data ok", "end");
    }

    /** Lets all loops do what there is to do. */
    void turn() {
        turn(loop, otherLoop, originLoop);
    }

    void turn(ManualIoEventLoop... loops) {
        int done;
        do {
            done = 0;
            for (var each : loops) {
                done += each.runNow();
            }
        } while (done > 0);
    }

    /** Lets {@code time} pass and everything that it makes due happen. */
    void pass(Duration time) {
        ticker.advance(time.toNanos(), TimeUnit.NANOSECONDS);
        turn();
    }

    /** Also checks that nothing the origin said is still held. */
    @Override
    public void close() {
        fetcher.close();
        peers.forEach(Peer::close);
        server.close();
        turn();
        assertThat(fetcher.openConnections()).isZero();
        assertThat(fetcher.queued()).isZero();
        for (var peer : peers) {
            assertThat(peer.said).allMatch(data -> data.refCnt() == 0);
        }
    }
}
