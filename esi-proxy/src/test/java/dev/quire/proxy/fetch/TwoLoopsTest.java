package dev.quire.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.ResponseHead;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.ResponseSink;
import dev.quire.proxy.route.OriginSettings;
import dev.quire.proxy.tls.OriginTls;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.util.ReferenceCountUtil;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Loops on their own threads that share the permits of one origin. */
@Timeout(60)
class TwoLoopsTest {
    private static final int CLIENTS = 10;
    private static final int FETCHES = 200;

    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger mostOpen = new AtomicInteger();
    private final AtomicInteger whole = new AtomicInteger();
    private final AtomicInteger strayed = new AtomicInteger();
    private final Queue<Failure> failures = new ConcurrentLinkedQueue<>();

    // Counted down before the fetcher, which gets its permit back only afterwards.
    private LocalChannel countedChannel() {
        var channel = new LocalChannel();
        mostOpen.accumulateAndGet(open.incrementAndGet(), Math::max);
        channel.closeFuture().addListener(closed -> open.decrementAndGet());
        return channel;
    }

    /** Answers whatever it reads. */
    private static final class Origin204 extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
            ctx.writeAndFlush(
                    Unpooled.copiedBuffer(
                            "HTTP/1.1 204 No Content\r\n\r\n", StandardCharsets.US_ASCII));
        }
    }

    /** Sends one request after the other. */
    private final class Client implements ResponseSink {
        private final Fetcher fetcher;
        private final EventLoop loop;
        private final CountDownLatch left;
        private int fetched;

        Client(Fetcher fetcher, EventLoop loop, CountDownLatch left) {
            this.fetcher = fetcher;
            this.loop = loop;
            this.left = left;
        }

        void next() {
            fetcher.fetch(Rig.get("/"), loop, this);
        }

        private void ended() {
            if (!loop.inEventLoop()) {
                strayed.incrementAndGet();
            }
            if (++fetched < FETCHES) {
                next();
            } else {
                left.countDown();
            }
        }

        @Override
        public void head(ResponseHead head, BodyFlow flow) {}

        @Override
        public void data(ByteBuf data) {
            data.release();
        }

        @Override
        public void end() {
            whole.incrementAndGet();
            ended();
        }

        @Override
        public void failed(Failure failure) {
            failures.add(failure);
            ended();
        }
    }

    @Test
    void manyRequestsOnTwoLoopsShareThreeConnectionsAndNoneIsLost() throws Exception {
        var group = new MultiThreadIoEventLoopGroup(2, LocalIoHandler.newFactory());
        var address = new LocalAddress(TwoLoopsTest.class);
        var server =
                new ServerBootstrap()
                        .group(group)
                        .channel(LocalServerChannel.class)
                        .childHandler(
                                new ChannelInitializer<>() {
                                    @Override
                                    protected void initChannel(Channel accepted) {
                                        accepted.pipeline().addLast(new Origin204());
                                    }
                                })
                        .bind(address)
                        .sync()
                        .channel();
        var patience = Duration.ofSeconds(30);
        var origin =
                new OriginSettings(
                        "news",
                        List.of(OriginSettings.Url.at(URI.create("http://origin.test"))),
                        OriginSettings.Balance.LEAST_REQUESTS,
                        new OriginSettings.Deadlines(patience, patience, patience, Duration.ZERO),
                        3,
                        100,
                        patience,
                        new OriginSettings.Retries(1, 20),
                        OriginSettings.Health.UNCHECKED,
                        true,
                        OriginTls.DEFAULTS,
                        Optional.empty());
        var fetcher = Fetcher.at(address, origin, this::countedChannel, () -> {});
        var left = new CountDownLatch(CLIENTS);
        var loops = List.of(group.next(), group.next());

        for (int i = 0; i < CLIENTS; i++) {
            var loop = loops.get(i % 2);
            loop.execute(new Client(fetcher, loop, left)::next);
        }
        var done = left.await(30, TimeUnit.SECONDS);
        fetcher.close();
        server.close().sync();
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();

        assertThat(done).isTrue();
        // On a machine that stalls for a second, a waiter may legitimately time out.
        assertThat(failures).allMatch(failure -> failure.kind() == Failure.Kind.OVERLOAD);
        assertThat(whole.get() + failures.size()).isEqualTo(CLIENTS * FETCHES);
        assertThat(whole.get()).isPositive();
        assertThat(strayed).hasValue(0);
        assertThat(mostOpen).hasValue(3);
        assertThat(fetcher.openConnections()).isZero();
        assertThat(fetcher.queued()).isZero();
    }
}
