package dev.quire.proxy.path;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.AssemblyObserver;
import dev.quire.core.assemble.ErrorPolicy;
import dev.quire.core.assemble.FragmentAnswer;
import dev.quire.core.assemble.FragmentRequest;
import dev.quire.core.assemble.FragmentSource;
import dev.quire.core.assemble.FragmentTerms;
import dev.quire.core.assemble.Limits;
import dev.quire.core.expression.Escape;
import dev.quire.core.expression.VariableRules;
import dev.quire.core.http.Scheme;
import dev.quire.core.parse.ParseOptions;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Compression;
import dev.quire.core.policy.SentRequest;
import dev.quire.core.policy.SignedVariant;
import dev.quire.core.rule.ErrorPageRules;
import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.Rules;
import dev.quire.core.text.Network;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.Compressing;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.Purge;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.config.CacheConfig;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.DeliverConfig;
import dev.quire.proxy.config.DiskConfig;
import dev.quire.proxy.config.EsiConfig;
import dev.quire.proxy.config.HeededClients;
import dev.quire.proxy.config.InvalidationConfig;
import dev.quire.proxy.config.Listen;
import dev.quire.proxy.config.LogConfig;
import dev.quire.proxy.config.RouteConfig;
import dev.quire.proxy.config.TrustConfig;
import dev.quire.proxy.config.VariantsConfig;
import dev.quire.proxy.deliver.PageDelivery;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.ExchangeHandler;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.exchange.Tunnels;
import dev.quire.proxy.fetch.Fetcher;
import dev.quire.proxy.listen.Descriptors;
import dev.quire.proxy.listen.Listener;
import dev.quire.proxy.listen.Transport;
import dev.quire.proxy.log.AccessLog;
import dev.quire.proxy.metrics.Metrics;
import dev.quire.proxy.route.EsiProcessing;
import dev.quire.proxy.route.HintMode;
import dev.quire.proxy.route.OriginSettings;
import dev.quire.proxy.route.Router;
import dev.quire.proxy.tls.OriginTls;
import dev.quire.proxy.tls.ServerTls;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
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
import io.netty.util.concurrent.ScheduledFuture;
import io.netty.util.concurrent.Ticker;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The request path from a client's bytes to the origin's and back, within one thread. Loops run and
 * time advances only on demand, so tests are deterministic and see every step. Closing it checks
 * that nothing leaks.
 */
final class OneThread implements AutoCloseable {

    /** Settings that a test may change. */
    static final class Rules {
        Duration keepAlive = Duration.ofSeconds(15);
        Duration firstFlush = Duration.ofMillis(20);
        Duration staleIfError = Duration.ZERO;
        Duration staleIfSlow = Duration.ofSeconds(1);
        int maxConnections = 256;
        int maxPerClient;
        boolean trustsClients;
        boolean hasForum;
        EsiProcessing esi = EsiProcessing.AUTO;
        HintMode hints = HintMode.PASS;
        List<String> trailers = List.of();
        ErrorPolicy onError = ErrorPolicy.OMIT;
        boolean isStrict;
        InvalidationConfig invalidation = Configuration.DEFAULTS.invalidation();
        dev.quire.core.rule.Rules ruling = dev.quire.core.rule.Rules.NONE;
        boolean passSetCookie;
        Compression compression = Compression.ESI;
        boolean invalidatesLocation = true;
        boolean heedsClients;
        Optional<String> reserved = Optional.empty();
        SignedVariant.@Nullable Key variants;
        private LogConfig.RequestIds ids = LogConfig.RequestIds.LOG;

        long maxPageBytes = 16 << 20;

        AssemblyObserver observer = AssemblyObserver.NONE;

        /** If it is on, there is no memory. */
        DiskConfig disk = Configuration.DEFAULTS.disk();

        /** The time since noon. */
        Duration begins = Duration.ZERO;

        Configuration configuration() {
            var defaults = Configuration.DEFAULTS;
            var origin = OriginSettings.at("news", URI.create("http://origin.test:8081"));
            return new Configuration(
                    new Listen(
                            defaults.listen().http().orElseThrow(),
                            defaults.listen().backlog(),
                            keepAlive,
                            maxPerClient),
                    defaults.tls(),
                    defaults.admin(),
                    trustsClients
                            ? new TrustConfig(
                                    List.of(Network.parse("127.0.0.0/8"), Network.parse("::1")),
                                    List.of(),
                                    Optional.empty())
                            : new TrustConfig(List.of(), List.of(), Optional.of(List.of())),
                    Map.of(
                            "news",
                            new OriginSettings(
                                    origin.name(),
                                    origin.urls(),
                                    origin.balance(),
                                    origin.deadlines(),
                                    maxConnections,
                                    origin.maxQueue(),
                                    origin.queueTimeout(),
                                    origin.retries(),
                                    origin.health(),
                                    origin.sendsVia(),
                                    OriginTls.DEFAULTS,
                                    origin.host())),
                    List.of(
                            new RouteConfig(
                                    hasForum ? "news.test" : "forum.test",
                                    "/forum/**",
                                    "news",
                                    esi),
                            new RouteConfig("news.test", "/off/**", "news", EsiProcessing.OFF),
                            site(),
                            new RouteConfig("partner.test", "/**", "news", esi),
                            new RouteConfig("narrow.test", "/here/**", "news", esi)),
                    new CacheConfig(
                            disk.isOn() ? 0 : 256 << 20,
                            defaults.cache().admission(),
                            1 << 20,
                            defaults.cache().grace(),
                            staleIfError,
                            defaults.cache().staleIfUnreachable(),
                            staleIfSlow,
                            defaults.cache().hitForMiss(),
                            true,
                            CacheConfig.SetCookie.PASS,
                            false,
                            compression,
                            invalidatesLocation,
                            new HeededClients(
                                    heedsClients
                                            ? HeededClients.Mode.HONOUR
                                            : HeededClients.Mode.IGNORE,
                                    defaults.cache().heeded().from())),
                    disk,
                    defaults.shared(),
                    defaults.fleet(),
                    new EsiConfig(
                            List.of("text/html"),
                            List.of("partner.test", "nowhere.test"),
                            "quire",
                            Limits.DEFAULT,
                            1 << 20,
                            maxPageBytes,
                            INCLUDE_TIMEOUT,
                            PAGE_DEADLINE,
                            onError,
                            isStrict,
                            passSetCookie,
                            true,
                            new VariableRules(List.of("sid"), false, reserved, Map.of(), true),
                            ParseOptions.STANDARD),
                    new VariantsConfig(Optional.ofNullable(variants)),
                    new LogConfig(
                            new LogConfig.Off(),
                            LogConfig.Format.JSON,
                            LogConfig.Query.KEEP,
                            ids,
                            LogConfig.Fragments.OFF,
                            Duration.ZERO),
                    new DeliverConfig(firstFlush),
                    defaults.drain(),
                    defaults.limits(),
                    invalidation,
                    ErrorPageRules.NONE,
                    ruling);
        }

        private RouteConfig site() {
            var route = new RouteConfig("news.test", "/**", "news", esi);
            return new RouteConfig(
                    route.host(),
                    route.path(),
                    route.origin(),
                    route.esi(),
                    route.operator(),
                    route.defaultGrace(),
                    route.defaultStaleIfError(),
                    route.staleIfSlow(),
                    route.bodyBytes(),
                    route.timeouts(),
                    route.tunnelIdle(),
                    false,
                    hints,
                    trailers);
        }

        Rules hints(HintMode mode) {
            hints = mode;
            return this;
        }

        Rules trailers(String... names) {
            trailers = List.of(names);
            return this;
        }

        Rules maxPage(long bytes) {
            maxPageBytes = bytes;
            return this;
        }

        /** Has a disk tier in {@code directory}, which may have responses, and no memory. */
        Rules withoutMemory(Path directory) {
            disk = OwnTier.in(directory);
            return this;
        }

        Rules beginning(Duration sinceNoon) {
            begins = sinceNoon;
            return this;
        }

        Rules observedBy(AssemblyObserver who) {
            observer = who;
            return this;
        }

        /** The id of each request is sent to its origin. */
        Rules sendingIds() {
            ids = LogConfig.RequestIds.SEND;
            return this;
        }

        Rules variants(SignedVariant.Key key) {
            variants = key;
            return this;
        }

        Rules heedingClients() {
            heedsClients = true;
            return this;
        }

        Rules compressing(Compression what) {
            compression = what;
            return this;
        }

        Rules keepingLocation() {
            invalidatesLocation = false;
            return this;
        }

        Rules passSetCookie() {
            passSetCookie = true;
            return this;
        }

        Rules reserved(String prefix) {
            reserved = Optional.of(prefix);
            return this;
        }

        Rules strict() {
            isStrict = true;
            return this;
        }

        Rules keepAlive(Duration time) {
            keepAlive = time;
            return this;
        }

        Rules maxPerClient(int connections) {
            maxPerClient = connections;
            return this;
        }

        Rules firstFlush(Duration time) {
            firstFlush = time;
            return this;
        }

        Rules failingOnError() {
            onError = ErrorPolicy.FAIL;
            return this;
        }

        /** Adds a route of its own for {@code /forum/**}. */
        Rules routeOfForum() {
            hasForum = true;
            return this;
        }

        Rules trustingClients() {
            trustsClients = true;
            return this;
        }

        Rules esi(EsiProcessing mode) {
            esi = mode;
            return this;
        }

        Rules staleIfError(Duration time) {
            staleIfError = time;
            return this;
        }

        Rules staleIfSlow(Duration time) {
            staleIfSlow = time;
            return this;
        }
    }

    static final Duration INCLUDE_TIMEOUT = Duration.ofSeconds(10);

    /** Represents the stamp of the request in a response; of the same length. */
    static final String OWN_STAMP = "----------------------";

    private static final Pattern STAMP = Pattern.compile(" Stamp/1\\.([A-Za-z0-9_-]{22})\"\r");
    static final Duration PAGE_DEADLINE = Duration.ofSeconds(30);
    private static final CacheKey PAGE = new CacheKey(Scheme.HTTP, "news.test", "/dir/page?q=1");
    static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    final MockTicker ticker = Ticker.newMockTicker();
    final CountingLoop loop = new CountingLoop(ticker);
    final Metrics metrics = new Metrics();
    final List<Exchange> finished = new ArrayList<>();
    private final List<Exchange> begun = new ArrayList<>();

    /** The scheme of client requests. */
    Scheme scheme = Scheme.HTTP;

    final ExchangeHandler noting;
    final Listener listener;

    /** Run for each read of the clock of the cache; the time of day still works if it fails. */
    Runnable atClock = () -> {};

    /** Of the connections of clients. */
    ByteBufAllocator alloc = ByteBufAllocator.DEFAULT;

    /** Run for each read of the time of day. */
    Runnable atWall = () -> {};

    private final ManualIoEventLoop outside =
            new ManualIoEventLoop(
                    null, Thread.currentThread(), LocalIoHandler.newFactory(), ticker);
    private final Time time;
    private final PageStore store;
    private final SharedParts shared;
    private final @Nullable OwnTier tier;
    private final Journal journal;
    private final Exchanges exchanges;

    /** Tasks for other threads; a test runs them on demand. */
    final Queue<Runnable> aside = new ArrayDeque<>();

    /** The client of the origin of each generation. */
    private final List<Fetcher> fetchers = new ArrayList<>();

    /** The numbers of the generations that are no longer in use. */
    final List<Integer> unused = new ArrayList<>();

    private final LocalAddress front = new LocalAddress("front-" + System.identityHashCode(this));
    private final LocalAddress back = new LocalAddress("back-" + System.identityHashCode(this));
    private final List<Asked> asked = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final List<LocalChannel> originChannels = new ArrayList<>();
    private final List<Channel> servers = new ArrayList<>();
    private final List<Valve> valves = new ArrayList<>();
    private final Map<ByteBuf, String> said = new LinkedHashMap<>();
    private int reported;
    private boolean keepsExchanges;
    private @Nullable Exchange kept;

    OneThread() {
        this(new Rules());
    }

    OneThread(Rules rules) {
        ticker.advance(rules.begins.toNanos(), TimeUnit.NANOSECONDS);
        time =
                new Time() {
                    @Override
                    public Instant now() {
                        atClock.run();
                        return NOON.plusNanos(ticker.nanoTime());
                    }

                    @Override
                    public Instant wall() {
                        atWall.run();
                        return NOON.plusNanos(ticker.nanoTime());
                    }
                };
        var configuration = rules.configuration();
        journal = new Journal(metrics, new AccessLog(configuration.log()), time, rules.observer);
        shared = SharedParts.of(configuration, time, metrics, journal, aside::add, new Tunnels(8));
        store = shared.store();
        tier = rules.disk.isOn() ? new OwnTier(shared, rules.disk) : null;
        exchanges = new Exchanges(shared, parts(configuration));
        noting = new Noting(exchanges);
        listener =
                new Listener(
                        loop,
                        Transport.ofThisMachine(),
                        noting,
                        new Listener.Rules(
                                configuration.listen(),
                                configuration.limits(),
                                configuration::defaultHost,
                                configuration.invalidation()::answers,
                                Descriptors.MAX_CLIENTS,
                                configuration.trust()),
                        new ServerTls(time::wall, metrics.tls()),
                        time::wall,
                        journal);
        serve(
                loop,
                front,
                new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel client) {
                        var valve = new Valve();
                        valves.add(valve);
                        client.pipeline().addLast(valve);
                        client.config().setAllocator(alloc);
                        listener.accept(client, scheme);
                    }
                });
        serve(
                outside,
                back,
                new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel accepted) {
                        accepted.pipeline().addLast(new OriginPeer());
                    }
                });
        turn();
    }

    private LocalChannel originChannel() {
        var channel = new LocalChannel();
        originChannels.add(channel);
        return channel;
    }

    private ProxyParts parts(Configuration configuration) {
        var fetcher =
                Fetcher.at(
                        back,
                        configuration.origins().values().iterator().next(),
                        this::originChannel,
                        metrics.origin("news"));
        fetchers.add(fetcher);
        return ProxyParts.of(
                configuration,
                fetchers.size(),
                shared,
                name -> fetcher,
                () -> {
                    unused.add(fetchers.indexOf(fetcher) + 1);
                    fetcher.close();
                });
    }

    /** Uses other rules for requests that begin from now on. */
    void replace(Rules rules) {
        exchanges.replace(parts(rules.configuration()));
        turn();
    }

    /** The number of connections of a generation to the origin. */
    int originConnections(int generation) {
        return fetchers.get(generation - 1).openConnections();
    }

    private RouteTarget target() {
        return switch (exchanges.current().router.match(PAGE)) {
            case Router.Match.Matched<RouteTarget> found -> found.target();
            default -> throw new AssertionError("no route matches " + PAGE.url());
        };
    }

    /** The includes of a page, fetched one by one as its assembler would. */
    Includes includes(String... lines) {
        return new Includes(lines);
    }

    /** A page that waits for its origin, so that all fetches are made by a test. */
    final class Includes implements AutoCloseable {
        private final Client reader = client();
        private final Exchange exchange;
        private final Pages.Fragments fragments;
        private final List<StoredResponse> bodies = new ArrayList<>();
        private final List<FragmentSource.Fetching> fetchings = new ArrayList<>();

        Includes(String... lines) {
            reader.get("/waiting", lines);
            exchange = begun.getLast();
            fragments =
                    exchanges.current().steps.pages()
                    .new Fragments(exchange, Lookup.ofPage(exchange, PAGE, target(), false));
            asked();
        }

        /** Fetches {@code target} and returns the events that follow. */
        List<String> ask(String target, FragmentTerms terms) {
            return ask(new CacheKey(Scheme.HTTP, "news.test", target), terms);
        }

        List<String> ask(CacheKey key, FragmentTerms terms) {
            var heard = new ArrayList<String>();
            var request = new FragmentRequest(key, PAGE, 1, terms, false);
            var atHand = fragments.stored(request);
            if (atHand == null) {
                fetchings.add(fragments.fetch(request, answer -> heard.add(words(answer))));
            } else {
                heard.add("at hand: " + words(atHand));
            }
            turn();
            return heard;
        }

        /** Returns {@code target}, which is stored, transformed for the page. */
        String selected(String target, String selector) {
            var said = new ArrayList<String>();
            fragments.select(
                    stored(target),
                    selector,
                    part -> said.add(part == null ? "nothing" : words(part)));
            return String.join(",", said);
        }

        String escaped(String target, Escape escape) {
            return words(fragments.escaped(stored(target), escape));
        }

        private StoredResponse stored(String target) {
            var key = new CacheKey(Scheme.HTTP, "news.test", target);
            var stored =
                    fragments.stored(new FragmentRequest(key, PAGE, 1, FragmentTerms.NONE, false));
            if (stored == null) {
                throw new AssertionError(target + " is not stored");
            }
            return stored;
        }

        private String words(FragmentAnswer<StoredResponse> answer) {
            return switch (answer) {
                case FragmentAnswer.Whole<StoredResponse> whole -> words(whole.body());
                case FragmentAnswer.Flowing<StoredResponse> flowing -> "flowing";
                case FragmentAnswer.Failed<StoredResponse> failed ->
                        failed.failure().kind() + " " + failed.failure().status();
            };
        }

        private String words(StoredResponse body) {
            bodies.add(body);
            var text = new String(body.copy(0, body.length()), ISO_8859_1);
            return body.compiled() == null ? text : "document: " + text;
        }

        @Override
        public void close() {
            fetchings.forEach(FragmentSource.Fetching::cancel);
            fragments.ended();
            bodies.forEach(StoredResponse::release);
            reader.hangUp();
        }
    }

    private void serve(ManualIoEventLoop on, LocalAddress at, ChannelHandler accepted) {
        servers.add(
                new ServerBootstrap()
                        .group(on)
                        .channel(LocalServerChannel.class)
                        .childHandler(accepted)
                        .bind(at)
                        .channel());
    }

    /** Records every exchange that ends, and checks that it ends once. */
    private final class Noting implements ExchangeHandler {
        private final ExchangeHandler exchanges;

        Noting(ExchangeHandler exchanges) {
            this.exchanges = exchanges;
        }

        @Override
        public void begin(Exchange exchange) {
            begun.add(exchange);
            if (keepsExchanges) {
                kept = exchange;
                journal.began(exchange);
            } else {
                exchanges.begin(exchange);
            }
        }

        @Override
        public void failed(Exchange exchange, Throwable bug) {
            exchanges.failed(exchange, bug);
        }

        @Override
        public void finished(Exchange exchange, long nowNanos) {
            assertThat(finished).doesNotContain(exchange);
            finished.add(exchange);
            exchanges.finished(exchange, nowNanos);
        }
    }

    /** Counts the timers that are set. */
    static final class CountingLoop extends ManualIoEventLoop {
        int timers;

        CountingLoop(Ticker ticker) {
            super(null, Thread.currentThread(), LocalIoHandler.newFactory(), ticker);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            timers++;
            return super.schedule(task, delay, unit);
        }
    }

    /** Between a connection and its socket: counts flushes, and can be shut. */
    static final class Valve extends ChannelOutboundHandlerAdapter {
        int bursts;
        private boolean hasWritten;
        private boolean isShut;
        private @Nullable ChannelHandlerContext held;

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            hasWritten |= ((ByteBuf) message).isReadable();
            ctx.write(message, promise);
        }

        @Override
        public void flush(ChannelHandlerContext ctx) {
            if (isShut) {
                held = ctx;
                return;
            }
            if (hasWritten) {
                hasWritten = false;
                bursts++;
            }
            ctx.flush();
        }

        void shut() {
            isShut = true;
        }

        void open() {
            isShut = false;
            if (held != null) {
                flush(held);
            }
        }
    }

    /** One client connection. */
    final class Client extends ChannelInboundHandlerAdapter {
        private final StringBuilder received = new StringBuilder();
        private final Channel channel;
        private final Valve valve;

        Client() {
            var self = this;
            channel =
                    new Bootstrap()
                            .group(outside)
                            .channel(LocalChannel.class)
                            .handler(
                                    new ChannelInitializer<>() {
                                        @Override
                                        protected void initChannel(Channel opened) {
                                            opened.pipeline().addLast(self);
                                        }
                                    })
                            .connect(front)
                            .channel();
            turn();
            valve = valves.getLast();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            var data = (ByteBuf) message;
            received.append(data.toString(ISO_8859_1));
            data.release();
        }

        /** Sends {@code raw}, one byte for each character, and runs until idle. */
        Client send(String raw) {
            post(raw);
            turn();
            return this;
        }

        /** Sends {@code raw}; the proxy's loop does not run. */
        void post(String raw) {
            channel.writeAndFlush(Unpooled.copiedBuffer(raw, ISO_8859_1));
            deliver();
        }

        boolean hasReceived() {
            return !received.isEmpty();
        }

        Client get(String target, String... lines) {
            return send(request("GET", target, lines));
        }

        /** Returns the bytes received since the last call. */
        String received() {
            var text = received.toString();
            received.setLength(0);
            return text;
        }

        /**
         * Like {@link #received}, but waits until there are some: another thread may be slightly
         * later.
         */
        String awaited() {
            awaitTurn(this::hasReceived);
            return received();
        }

        /** The number of flushes to this client. */
        int bursts() {
            return valve.bursts;
        }

        /** Stops reading. */
        void stopTaking() {
            valve.shut();
        }

        void takeAgain() {
            valve.open();
            turn();
        }

        void hangUp() {
            channel.close();
            turn();
        }

        boolean isClosed() {
            return !channel.isActive();
        }
    }

    /** One request received by the origin. */
    final class Asked {
        final String target;
        private final StringBuilder text = new StringBuilder();
        private final Channel connection;
        private boolean isAnswered;

        Asked(String target, Channel connection) {
            this.target = target;
            this.connection = connection;
        }

        /** The request, with the part of its body that has arrived. */
        String text() {
            return text.toString();
        }

        /** Sends {@code raw}, with the stamp of the request, and runs until it has arrived. */
        Asked say(String raw) {
            isAnswered = true;
            var stamp = STAMP.matcher(text());
            var stamped = stamp.find() ? raw.replace(OWN_STAMP, stamp.group(1)) : raw;
            var data = Unpooled.copiedBuffer(stamped, ISO_8859_1);
            said.put(data, target);
            connection.writeAndFlush(data);
            turn();
            return this;
        }

        /** Sends {@code raw} and closes: both arrive at the same time. */
        void sayAtTheEnd(String raw) {
            isAnswered = true;
            var data = Unpooled.copiedBuffer(raw, ISO_8859_1);
            said.put(data, target);
            connection.writeAndFlush(data);
            close();
        }

        void close() {
            connection.close();
            turn();
        }

        boolean isClosed() {
            return !connection.isActive();
        }

        @Override
        public String toString() {
            return target;
        }
    }

    private final class OriginPeer extends ChannelInboundHandlerAdapter {
        private @Nullable Asked current;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            var data = (ByteBuf) message;
            var text = data.toString(ISO_8859_1);
            data.release();
            if (current == null || current.isAnswered) {
                // Data after an early response still belongs to the body of that request.
                if (!text.contains(" HTTP/1.1\r\n")) {
                    return;
                }
                current = new Asked(text.split(" ", 3)[1], ctx.channel());
                asked.add(current);
            }
            current.text.append(text);
        }
    }

    static String request(String method, String target, String... lines) {
        var text = new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: news.test\r\n");
        for (var line : lines) {
            text.append(line).append("\r\n");
        }
        return text.append("\r\n").toString();
    }

    /** A complete response with {@code lines} and {@code body}. */
    static String ok(String body, String... lines) {
        return answer("200 OK", body, lines);
    }

    static String answer(String status, String body, String... lines) {
        var text = new StringBuilder("HTTP/1.1 " + status + "\r\n");
        for (var line : lines) {
            text.append(line).append("\r\n");
        }
        return text + "Content-Length: " + body.length() + "\r\n\r\n" + body;
    }

    /** A response without a body. */
    static String bare(String status, String... lines) {
        var text = new StringBuilder("HTTP/1.1 " + status + "\r\n");
        for (var line : lines) {
            text.append(line).append("\r\n");
        }
        return text.append("\r\n").toString();
    }

    /** A page that is stored for a minute and has ESI. */
    static String page(String body, String... lines) {
        var all = new ArrayList<>(List.of(lines));
        all.add("Content-Type: text/html");
        all.add("Surrogate-Control: max-age=60, content=\"ESI/1.0\"");
        return ok(body, all.toArray(String[]::new));
    }

    /** A page with stamped tags; {@code @} represents the stamp and its colon. */
    static String stampedPage(String body) {
        return ok(
                body.replace("@", OWN_STAMP + ":"),
                "Content-Type: text/html",
                "Surrogate-Control: max-age=60, content=\"ESI/1.0\", stamp=\"" + OWN_STAMP + '"');
    }

    static String include(String src) {
        return "<esi:include src=\"" + src + "\"/>";
    }

    Client client() {
        var client = new Client();
        clients.add(client);
        return client;
    }

    /** Stores {@code response} for {@code target}. */
    void stored(String target, String response) {
        stored("news.test", target, response);
    }

    void stored(String host, String target, String response) {
        var client = client();
        client.send("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        for (var each : List.copyOf(asked.subList(reported, asked.size()))) {
            each.say(each.target.equals(target) ? response : answer("404 Not Found", ""));
        }
        client.hangUp();
        finished.clear();
        reported = asked.size();
    }

    /** The targets received by the origin since the last call. */
    List<String> asked() {
        var news = asked.subList(reported, asked.size()).stream().map(each -> each.target).toList();
        reported = asked.size();
        return news;
    }

    /** The requests received by the origin since the last call. */
    List<Asked> questions() {
        var news = List.copyOf(asked.subList(reported, asked.size()));
        reported = asked.size();
        return news;
    }

    /** The last request for {@code target}. */
    Asked ask(String target) {
        for (int i = asked.size() - 1; i >= 0; i--) {
            if (asked.get(i).target.equals(target)) {
                return asked.get(i);
            }
        }
        throw new AssertionError("the origin received no request for " + target + " but " + asked);
    }

    /** The access log entry of the last exchange that ended. */
    Exchange last() {
        return finished.getLast();
    }

    /** The last exchange that began. */
    Exchange newest() {
        return begun.getLast();
    }

    long open() {
        return exchanges.open();
    }

    long waiting() {
        return shared.coalescer().waiting();
    }

    /** Sends a request of {@code client} that the test answers instead of the proxy. */
    Exchange exchange(Client client, String target, String... lines) {
        keepsExchanges = true;
        client.get(target, lines);
        keepsExchanges = false;
        if (kept == null) {
            throw new AssertionError("no exchange has begun");
        }
        return kept;
    }

    /** Returns the response stored for {@code target}; the caller owns one reference. */
    StoredResponse find(Exchange exchange, String target) {
        var response =
                store.find(
                        new CacheKey(Scheme.HTTP, "news.test", target),
                        SentRequest.of(exchange.request())::isSelectedBy);
        if (response == null) {
            throw new AssertionError("no stored response for " + target);
        }
        return response;
    }

    Compressing compressing() {
        return shared.compressing();
    }

    /** Runs {@code what} while a long body of {@code target} is being worked on. */
    <T> T during(String target, Supplier<T> what) {
        var key = new CacheKey(Scheme.HTTP, "news.test", target);
        return shared.longWork().inTurn(key, what);
    }

    PageDelivery.Clocks clocks() {
        return new PageDelivery.Clocks(time::now, time::wall);
    }

    Invalidations invalidations() {
        return store.invalidations();
    }

    /** Runs all loops until {@code isDone}: another thread may be slightly later. */
    void awaitTurn(BooleanSupplier isDone) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!isDone.getAsBoolean()) {
            assertThat(System.nanoTime()).as("done in time").isLessThan(end);
            Thread.onSpinWait();
            turn();
        }
    }

    /** Purges {@code target}. */
    void purge(String target) {
        purge(target, false);
    }

    /** Purges {@code target}, or makes it stale. */
    void purge(String target, boolean isSoft) {
        var key = new CacheKey(Scheme.HTTP, "news.test", target);
        store.purge(new Purge(Set.of(key), Set.of(), Set.of(), List.of()), isSoft);
    }

    /** Invalidations of other proxies may be unknown from now on. */
    void cutOff() {
        shared.tiers().shared().behindWhile(() -> true);
    }

    /** Has hits validated from now on, as in a fleet that is cut off. */
    void validateHits() {
        cutOff();
        shared.tiers().shared().validateWhileBehind(true);
    }

    /** Bans everything. */
    void ban() {
        store.invalidations()
                .ban(
                        new BanCondition(
                                Optional.of(new HostPattern("*")),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty()));
    }

    /** Purges the responses with {@code tag}, or makes them stale. */
    void purgeTag(String tag, boolean isSoft) {
        store.purge(new Purge(Set.of(), Set.of(tag), Set.of(), List.of()), isSoft);
    }

    /** The memory of bodies in flight, and of evicted ones that a client still holds. */
    long transitBytes() {
        return shared.transit().usedBytes();
    }

    /** The weight of all stored responses. */
    long weightBytes() {
        return store.weightBytes();
    }

    /** The number of paused connections to the origin. */
    long heldBack() {
        return originChannels.stream()
                .filter(channel -> channel.isActive() && !channel.config().isAutoRead())
                .count();
    }

    /** Runs the loop of clients and origins until idle. */
    void deliver() {
        while (outside.runNow() > 0) {}
    }

    /** Runs all loops until idle. */
    void turn() {
        int done;
        do {
            done = loop.runNow() + outside.runNow();
        } while (done > 0);
    }

    /** Waits until nothing happens on the disk, and nothing that was written is held in memory. */
    void settleDisk() {
        if (tier != null) {
            tier.awaitWrites();
            ticker.advance(OwnTier.OVERLAP.toNanos(), TimeUnit.NANOSECONDS);
            tier.awaitReleases();
            turn();
        }
    }

    /**
     * Runs all loops until {@code client} has a response or the origin has a request: a thread may
     * read the disk first.
     */
    void awaitReaction(Client client) {
        awaitTurn(() -> client.hasReceived() || client.isClosed() || reported < asked.size());
    }

    Instant now() {
        return time.wall();
    }

    /** Advances by {@code time} in one step and runs all due tasks. */
    void leap(Duration time) {
        ticker.advance(time.toNanos(), TimeUnit.NANOSECONDS);
        turn();
    }

    /** Advances by {@code time} in small steps and runs all due tasks. */
    void pass(Duration time) {
        long left = time.toNanos();
        while (left > 0) {
            long step = Math.min(left, TimeUnit.MILLISECONDS.toNanos(10));
            ticker.advance(step, TimeUnit.NANOSECONDS);
            turn();
            left -= step;
        }
    }

    /** Closes all clients: nothing may be held, waiting or counted any more. */
    @Override
    public void close() {
        clients.forEach(Client::hangUp);
        aside.forEach(Runnable::run);
        assertThat(open()).isZero();
        assertThat(waiting()).isZero();
        asked.forEach(Asked::close);
        assertThat(fetchers).allMatch(fetcher -> fetcher.openConnections() == 0);
        assertThat(listener.openConnections()).isZero();
        if (tier != null) {
            // A response that was validated is held so long.
            leap(Duration.ofSeconds(1));
            tier.close();
        }
        assertThat(transitBytes()).isZero();
        var bodies = new ArrayList<ByteBuf>();
        store.forEach(response -> bodies.add(response.body()));
        exchanges.close();
        store.close();
        servers.forEach(Channel::close);
        turn();
        awaitReleaseOf(bodies);
        assertThat(bodies).allMatch(OneThread::isReleased);
        assertThat(said.keySet()).allMatch(data -> data.refCnt() == 0);
    }

    /**
     * Waits until {@code bodies} are released: a task on another thread releases its memory after
     * its result has been consumed.
     */
    private void awaitReleaseOf(List<ByteBuf> bodies) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!bodies.stream().allMatch(OneThread::isReleased) && System.nanoTime() < end) {
            Thread.onSpinWait();
            turn();
        }
    }

    private static boolean isReleased(ByteBuf body) {
        return body.refCnt() == 0 || body.capacity() == 0;
    }
}
