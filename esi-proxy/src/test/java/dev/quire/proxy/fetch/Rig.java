package dev.quire.proxy.fetch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.ClientNetwork;
import dev.quire.core.http.FieldNames;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.proxy.exchange.FetchEvents;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.OriginRequest.Affinity;
import dev.quire.proxy.exchange.RequestBody;
import dev.quire.proxy.exchange.ServerEvents;
import dev.quire.proxy.exchange.TransitBudget;
import dev.quire.proxy.route.OriginSettings;
import dev.quire.proxy.tls.OriginTls;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
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
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A fetcher and its origin within one thread. Loops run and time advances only on demand, so tests
 * are deterministic and see every step.
 */
final class Rig implements AutoCloseable {

    /** One accepted connection, seen from the origin. */
    static final class Peer extends ChannelInboundHandlerAdapter {
        /** The server that accepted it, from 0. */
        final int server;

        private final StringBuilder received = new StringBuilder();
        private final List<ByteBuf> said = new ArrayList<>();
        private @Nullable Channel channel;

        Peer(int server) {
            this.server = server;
        }

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

    /** An address where connecting never ends. */
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

    /** Configures the origin; defaults are one server and generous limits. */
    static final class Limits {
        private final List<OriginSettings.Url> urls = new ArrayList<>();
        OriginSettings.Balance balance = OriginSettings.Balance.LEAST_REQUESTS;
        OriginSettings.Health health = OriginSettings.Health.UNCHECKED;
        int budgetPercent = 20;
        int maxConnections = 8;
        int maxQueue = 8;
        Duration queueTimeout = Duration.ofSeconds(1);
        int retries = 1;

        /** Adds one server. */
        Limits server(int weight, boolean isFallback) {
            var url = URI.create("http://s" + urls.size() + ".test:8081");
            urls.add(new OriginSettings.Url(url, weight, isFallback));
            return this;
        }

        /** Adds servers of equal weight. */
        Limits servers(int count) {
            for (int i = 0; i < count; i++) {
                server(1, false);
            }
            return this;
        }

        Limits balance(OriginSettings.Balance how) {
            balance = how;
            return this;
        }

        Limits health(OriginSettings.Health rules) {
            health = rules;
            return this;
        }

        Limits budget(int percent) {
            budgetPercent = percent;
            return this;
        }

        private OriginSettings origin() {
            return new OriginSettings(
                    "news",
                    urls.isEmpty()
                            ? List.of(OriginSettings.Url.at(URI.create("http://origin.test:8081")))
                            : urls,
                    balance,
                    new OriginSettings.Deadlines(CONNECT, FIRST_BYTE, BETWEEN_BYTES, Duration.ZERO),
                    maxConnections,
                    maxQueue,
                    queueTimeout,
                    new OriginSettings.Retries(retries, budgetPercent),
                    health,
                    true,
                    OriginTls.DEFAULTS,
                    Optional.empty());
        }

        Limits connections(int count) {
            maxConnections = count;
            return this;
        }

        Limits queue(int count) {
            maxQueue = count;
            return this;
        }

        Limits queueTimeout(Duration limit) {
            queueTimeout = limit;
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

    private static final ClientNetwork CLIENT = new ClientNetwork(false, 0);

    final MockTicker ticker = Ticker.newMockTicker();
    final ManualIoEventLoop loop = newLoop();
    final ManualIoEventLoop otherLoop = newLoop();
    final ManualIoEventLoop originLoop = newLoop();
    final List<LocalChannel> channels = new ArrayList<>();
    final List<Peer> peers = new ArrayList<>();
    int retries;
    int retriesRefused;
    int refused;
    int ejections;
    boolean isTransitFull;

    /** Each count of a response or a failure throws. */
    boolean isCountBroken;

    /** The number of next sockets that cannot be opened. */
    int unopened;

    /** Run for each channel that the fetcher closes. */
    Runnable atClose = () -> {};

    long inTransit;
    private final TransitBudget transit =
            new TransitBudget() {
                @Override
                public void charge(long bytes) {
                    inTransit += bytes;
                }

                @Override
                public void give(long bytes) {
                    inTransit -= bytes;
                }

                @Override
                public boolean isFull() {
                    return isTransitFull;
                }
            };
    private final ServerEvents counts =
            new ServerEvents() {
                @Override
                public void answered(int status, Duration took) {
                    count();
                }

                @Override
                public void failed(Duration took) {
                    count();
                }

                private void count() {
                    if (isCountBroken) {
                        throw new IllegalStateException("expected no such thing");
                    }
                }
            };
    final Fetcher fetcher;
    private final List<LocalAddress> servers = new ArrayList<>();
    private final List<@Nullable Channel> listening = new ArrayList<>();

    Rig() {
        this(new Limits());
    }

    Rig(Limits limits) {
        this(limits, null);
    }

    /** Uses {@code addresses} instead of the rig's own. */
    Rig(Limits limits, @Nullable Addresses addresses) {
        var origin = limits.origin();
        for (int i = 0; i < origin.urls().size(); i++) {
            servers.add(new LocalAddress(Rig.class));
            listening.add(null);
            goUp(i);
        }
        fetcher =
                new Fetcher(
                        origin,
                        this::newChannel,
                        url ->
                                addresses == null
                                        ? Addresses.only(servers.get(origin.urls().indexOf(url)))
                                        : addresses,
                        transit,
                        new FetchEvents() {
                            @Override
                            public void retried() {
                                retries++;
                            }

                            @Override
                            public void retryRefused() {
                                retriesRefused++;
                            }

                            @Override
                            public void refused() {
                                refused++;
                            }

                            @Override
                            public void ejected() {
                                ejections++;
                            }

                            @Override
                            public ServerEvents of(String server) {
                                return counts;
                            }
                        });
        turn();
    }

    /** Makes a server accept connections (again). */
    void goUp(int server) {
        listening.set(
                server,
                new ServerBootstrap()
                        .group(originLoop)
                        .channel(LocalServerChannel.class)
                        .childHandler(
                                new ChannelInitializer<>() {
                                    @Override
                                    protected void initChannel(Channel accepted) {
                                        var peer = new Peer(server);
                                        peers.add(peer);
                                        accepted.pipeline().addLast(peer);
                                    }
                                })
                        .bind(servers.get(server))
                        .channel());
    }

    /** Makes a server refuse connections and close existing ones. */
    void goDown(int server) {
        var channel = listening.set(server, null);
        if (channel != null) {
            channel.close();
        }
        peers.stream().filter(peer -> peer.server == server).forEach(Peer::close);
        turn();
    }

    private LocalChannel newChannel() {
        if (unopened > 0) {
            unopened--;
            throw new ChannelException("too many open files");
        }
        var channel =
                new LocalChannel() {
                    @Override
                    public ChannelFuture close() {
                        atClose.run();
                        return super.close();
                    }
                };
        channel.pipeline().addLast(new Swallow());
        channels.add(channel);
        return channel;
    }

    private ManualIoEventLoop newLoop() {
        return new ManualIoEventLoop(
                null, Thread.currentThread(), LocalIoHandler.newFactory(), ticker);
    }

    SocketAddress address() {
        return servers.getFirst();
    }

    static OriginRequest get(String target) {
        return request("GET", target, null);
    }

    static OriginRequest request(String method, String target, @Nullable RequestBody body) {
        var head =
                new RequestHead(
                        method, Scheme.HTTP, "news.test", target, Fields.of("Host", "news.test"));
        return new OriginRequest(head, body, CLIENT, new Affinity(0, target.hashCode()));
    }

    /** The same request with trailer fields that the origin gets. */
    static OriginRequest withTrailers(OriginRequest request, String... names) {
        return new OriginRequest(
                request.head(),
                request.body(),
                request.client(),
                request.affinity(),
                null,
                null,
                false,
                FieldNames.of(names),
                null);
    }

    /** The same request from another client. */
    static OriginRequest from(int client, OriginRequest request) {
        return new OriginRequest(
                request.head(),
                request.body(),
                new ClientNetwork(false, client),
                request.affinity());
    }

    /** Sends a request from the first loop and runs until the origin has received it. */
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

    /** A complete request and response that leaves its connection idle. */
    void exchange() {
        var recorder = fetch(get("/before"));
        peer().heard();
        answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        assertThat(recorder.events).containsExactly("head 200", "data ok", "end");
    }

    /** Runs all loops until idle. */
    void turn() {
        turn(loop, otherLoop, originLoop);
    }

    /** Also waits for the failures of sockets that could not be opened. */
    void turnWithoutSockets() {
        GlobalEventExecutor.INSTANCE.submit(() -> {}).syncUninterruptibly();
        turn();
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

    /** Advances by {@code time} and runs all due tasks. */
    void pass(Duration time) {
        ticker.advance(time.toNanos(), TimeUnit.NANOSECONDS);
        turn();
    }

    /** Also checks that no data from the origin is still held. */
    @Override
    public void close() {
        fetcher.close();
        peers.forEach(Peer::close);
        for (int i = 0; i < servers.size(); i++) {
            goDown(i);
        }
        turn();
        assertThat(fetcher.openConnections()).isZero();
        assertThat(fetcher.queued()).isZero();
        assertThat(inTransit).isZero();
        for (var peer : peers) {
            assertThat(peer.said).allMatch(data -> data.refCnt() == 0);
        }
    }
}
