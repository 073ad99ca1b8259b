package dev.quire.proxy.listen;

import dev.quire.core.http.FieldNames;
import dev.quire.core.http.Scheme;
import dev.quire.proxy.config.ClientAddress;
import dev.quire.proxy.config.HostPort;
import dev.quire.proxy.config.LimitsConfig;
import dev.quire.proxy.config.Listen;
import dev.quire.proxy.config.Listen.HalfClose;
import dev.quire.proxy.config.ListenAddress;
import dev.quire.proxy.config.ListenProtocol;
import dev.quire.proxy.config.TrustConfig;
import dev.quire.proxy.config.UnixPath;
import dev.quire.proxy.exchange.ClientTrust;
import dev.quire.proxy.exchange.ExchangeHandler;
import dev.quire.proxy.handover.ListeningSockets;
import dev.quire.proxy.handover.UnixSocketFile;
import dev.quire.proxy.tls.ServerHandshake;
import dev.quire.proxy.tls.ServerTls;
import dev.quire.proxy.tls.TlsIdentity;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Accepts client connections on ports with a scheme each. */
public final class Listener {
    private final EventLoopGroup loops;
    private final Transport transport;
    private final ExchangeHandler exchanges;
    private final Supplier<Instant> wall;
    private final ListenEvents events;
    private final TurnedAway turnedAway;
    private final ClientShares shares = new ClientShares();
    private final Map<EventLoop, Traffic> traffic = new ConcurrentHashMap<>();
    private final AtomicInteger open = new AtomicInteger();
    private final Map<EventLoop, Handshakes> handshakes = new ConcurrentHashMap<>();
    private final ServerTls tls;

    /** The ports that listen, and those whose last connections run out. */
    private final List<Port> ports = new CopyOnWriteArrayList<>();

    /** For connections that no port has accepted, by scheme. */
    private final Map<Scheme, Port> unaccepted = new EnumMap<>(Scheme.class);

    private volatile ConnectionRules rules;

    /**
     * How clients are served.
     *
     * @param limits of request heads
     * @param defaultHost the authority of requests of HTTP/1.0 without Host; may change
     * @param invalidates whether this method, PURGE or BAN, is answered; may change
     * @param maxConnections client connections, over all ports
     * @param trust which of the clients' claims are believed
     */
    public record Rules(
            Listen settings,
            LimitsConfig limits,
            Supplier<Optional<String>> defaultHost,
            Predicate<String> invalidates,
            int maxConnections,
            TrustConfig trust) {}

    /**
     * @param tls the certificates of ports with TLS
     * @param wall the time of day, for the {@code Date} of generated responses
     */
    public Listener(
            EventLoopGroup loops,
            Transport transport,
            ExchangeHandler exchanges,
            Rules rules,
            ServerTls tls,
            Supplier<Instant> wall,
            ListenEvents events) {
        this.loops = loops;
        this.transport = transport;
        this.exchanges = exchanges;
        this.tls = tls;
        this.wall = wall;
        this.events = events;
        this.turnedAway = new TurnedAway(events);
        this.rules = connectionRules(rules);
        for (var scheme : Scheme.values()) {
            unaccepted.put(scheme, new Port(scheme));
        }
        ports.addAll(unaccepted.values());
    }

    /**
     * Uses {@code next} for new connections, and for the next requests of open ones, which keep
     * their limits of heads. The backlog of an address changes only with {@link #listen}.
     */
    public void configure(Rules next) {
        rules = connectionRules(next);
    }

    private ConnectionRules connectionRules(Rules given) {
        return new ConnectionRules(
                given.settings(),
                given.limits(),
                given.defaultHost(),
                given.invalidates(),
                given.maxConnections(),
                trust(given.trust()),
                wall,
                events);
    }

    private Traffic trafficOf(EventLoop loop) {
        return traffic.computeIfAbsent(loop, same -> new Traffic());
    }

    /** An address, and the connections accepted there. */
    public final class Port {
        private final List<Channel> channels = new ArrayList<>();
        private final Map<EventLoop, LoopConnections> connections = new ConcurrentHashMap<>();
        private final AtomicInteger openHere = new AtomicInteger();
        private final Scheme scheme;

        /** Null for connections that no port has accepted. */
        private volatile @Nullable ClientAddress settings;

        /** Null if the address is not a Unix socket. */
        private @Nullable UnixSocketFile file;

        private boolean isAccepting;
        private volatile boolean isDraining;

        private Port(Scheme scheme) {
            this.scheme = scheme;
        }

        private Port(ClientAddress settings) {
            this.scheme = settings.scheme();
            this.settings = settings;
        }

        /** Uses {@code next}, with the same address, for new connections. */
        public void use(ClientAddress next) {
            var before = settings;
            settings = next;
            if (before != null && before.isTls() != next.isTls()) {
                endUnless(arrival -> (arrival.tls() != null) == next.isTls());
            }
        }

        /** Ends the connections that {@code allowed} rejects, after their current requests. */
        private void endUnless(Predicate<Arrival> allowed) {
            connections.forEach((loop, each) ->
                    loop.execute(() -> each.endUnless(allowed, GoAwayReason.RETIRED)));
        }

        PortService service() {
            var current = settings;
            return current == null
                    ? PortService.unaccepted(this, scheme, rules.settings().h2c())
                    : PortService.of(this, current);
        }

        /** The address, with the actual port. */
        public SocketAddress address() {
            return channels.getFirst().localAddress();
        }

        /** Accepts connections from now on. Has no effect if it does already. */
        public void beginAccepting() {
            if (isAccepting) {
                return;
            }
            isAccepting = true;
            channels.forEach(ListeningSockets::beginAccepting);
            if (file != null) {
                file.own();
            }
        }

        /** The sockets of the port. */
        public ListeningSockets sockets() {
            return ListeningSockets.of(
                    ListeningSockets.Role.CLIENTS,
                    Objects.requireNonNull(settings).address(),
                    channels);
        }

        private boolean isUnix() {
            var current = settings;
            return current != null && current.address() instanceof UnixPath;
        }

        /** Accepts no new connections; open ones close with their response. */
        public void drain() {
            isDraining = true;
            close();
            connections.forEach((loop, each) -> loop.execute(each::drain));
            forgetIfOver();
        }

        /** Accepts no new connections. */
        private void close() {
            channels.forEach(channel -> channel.close().awaitUninterruptibly());
            if (file != null) {
                file.delete();
            }
        }

        private void end() {
            connections.forEach((loop, each) -> loop.execute(each::end));
        }

        private LoopConnections siblings(EventLoop loop) {
            var siblings = connections.computeIfAbsent(loop, this::ofLoop);
            if (isDraining) {
                siblings.drain();
            }
            return siblings;
        }

        private LoopConnections ofLoop(EventLoop loop) {
            return new LoopConnections(loop, trafficOf(loop));
        }

        private void closedOne() {
            openHere.decrementAndGet();
            forgetIfOver();
        }

        private void forgetIfOver() {
            if (isDraining && openHere.get() == 0) {
                ports.remove(this);
            }
        }
    }

    private static ClientTrust trust(TrustConfig config) {
        return new ClientTrust(
                config::trusts,
                FieldNames.of(config.fields().toArray(String[]::new)),
                config.diagnostics().isPresent() ? config::diagnoses : null);
    }

    /**
     * Binds the address of {@code clients}. If the kernel can distribute connections, each loop
     * listens itself, so that no connection changes threads. Accepts nothing until {@link
     * Port#beginAccepting}. Blocks: not for event loops.
     *
     * @throws IOException if the address cannot be bound
     */
    public Port listen(ClientAddress clients) throws IOException {
        var port = new Port(clients);
        try {
            bind(port, clients.address());
        } catch (IOException | RuntimeException | Error cannotListen) {
            port.close();
            throw cannotListen;
        }
        ports.add(port);
        return port;
    }

    private void bind(Port port, ListenAddress configured) throws IOException {
        switch (configured) {
            case UnixPath unix -> bind(port, unix.path());
            case HostPort hostPort -> bind(port, hostPort.resolved());
        }
    }

    private void bind(Port port, Path path) throws IOException {
        boolean isOwn =
                ports.stream().anyMatch(each -> each.file != null && each.file.path().equals(path));
        var obstacle = isOwn ? Optional.<IOException>empty() : UnixSocketFile.obstacle(path);
        if (obstacle.isPresent()) {
            throw obstacle.get();
        }
        var server = server(port).channel(transport.unixServerChannel());
        port.file =
                UnixSocketFile.create(
                        path, name -> bind(port, loops, server, transport.unixAddress(name)));
    }

    private void bind(Port port, InetSocketAddress address) throws IOException {
        var reusePort = transport.reusePort();
        if (reusePort == null) {
            bind(port, loops, tcpServer(port), address);
        } else {
            for (var loop : loops) {
                bind(
                        port,
                        (EventLoop) loop,
                        tcpServer(port).option(reusePort, true),
                        port.channels.isEmpty() ? address : port.address());
            }
        }
    }

    /**
     * Uses the sockets of another process, each on one loop, since each has its own queue of
     * connections. Accepts nothing until {@link Port#beginAccepting}. Blocks.
     *
     * @throws IOException if one cannot be used; then all are closed
     */
    public Port adopt(ListeningSockets sockets, ClientAddress address) throws IOException {
        var port = new Port(address);
        if (address.address() instanceof UnixPath unix) {
            port.file = UnixSocketFile.inherited(unix.path());
        }
        var each = new ArrayList<EventLoop>();
        loops.forEach(loop -> each.add((EventLoop) loop));
        var descriptors = sockets.descriptors();
        try {
            for (int i = 0; i < descriptors.size(); i++) {
                var loop = each.get(i % each.size());
                // With fewer sockets than loops, the connections change to the other loops.
                var clients = descriptors.size() < each.size() ? loops : loop;
                port.channels.add(
                        sockets.adopt(server(port).group(loop, clients), descriptors.get(i)));
            }
        } catch (IOException unusable) {
            port.close();
            sockets.close(port.channels.size() + 1);
            throw unusable;
        }
        ports.add(port);
        return port;
    }

    private ServerBootstrap tcpServer(Port port) {
        return server(port)
                .channel(transport.serverChannel())
                .option(ChannelOption.SO_REUSEADDR, true);
    }

    private ServerBootstrap server(Port port) {
        var server = new ServerBootstrap();
        if (!port.isUnix()) {
            server.childOption(ChannelOption.TCP_NODELAY, true);
        }
        return server.option(ChannelOption.SO_BACKLOG, rules.settings().backlog())
                // With the pooled allocator a page of ten fragments takes a sixth less user time
                // than with the adaptive one.
                .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .childOption(ChannelOption.MESSAGE_SIZE_ESTIMATOR, OutgoingSize.ESTIMATOR)
                .childHandler(
                        new ChannelInitializer<>() {
                            @Override
                            protected void initChannel(Channel client) {
                                accept(client, port, client.remoteAddress());
                            }
                        });
    }

    private void bind(
            Port port, EventLoopGroup group, ServerBootstrap server, SocketAddress address)
            throws IOException {
        var binding =
                server.group(group)
                        .option(ChannelOption.AUTO_READ, false)
                        .bind(address)
                        .awaitUninterruptibly();
        if (!binding.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + address + ": " + binding.cause().getMessage(),
                    binding.cause());
        }
        port.channels.add(binding.channel());
    }

    /** Ends connections whose certificate is no longer in use, after their current requests. */
    public void endDisallowed() {
        ports.forEach(port ->
                port.endUnless(
                        arrival -> arrival.tls() == null || tls.allows(arrival.tls().identity())));
    }

    public int openConnections() {
        return open.get();
    }

    /** Bytes received from clients, with heads and framing. */
    public long receivedBytes() {
        return traffic.values().stream().mapToLong(Traffic::received).sum();
    }

    /** Bytes sent to clients, with heads and framing. */
    public long sentBytes() {
        return traffic.values().stream().mapToLong(Traffic::sent).sum();
    }

    /** Accepts no new connections; open ones close with their response. */
    public void beginDraining() {
        ports.forEach(Port::drain);
        handshakes.forEach((loop, each) ->
                loop.schedule(each::close, Http2Handler.LAST_CHANCE_NANOS, TimeUnit.NANOSECONDS));
    }

    /**
     * Like {@link #beginDraining}. Blocks until all connections are closed or {@code patience} has
     * elapsed; then ends those that are left.
     */
    public void drain(Duration patience) throws InterruptedException {
        beginDraining();
        long deadline = System.nanoTime() + patience.toNanos();
        while (open.get() > 0 && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        ports.forEach(Port::end);
    }

    /** Accepts no new connections, as another process does on the same sockets. */
    public void stopListening() {
        for (var port : ports) {
            if (port.file != null) {
                port.file.give();
            }
            port.close();
        }
    }

    /** Accepts no new connections. */
    public void close() {
        ports.forEach(Port::close);
    }

    /**
     * Serves {@code client}, a connection that no port has accepted, with requests of {@code
     * scheme}. Called on its loop.
     */
    public void accept(Channel client, Scheme scheme) {
        accept(client, scheme, client.remoteAddress());
    }

    /** Like {@link #accept(Channel, Scheme)}, with {@code remote} as the client's address. */
    public void accept(Channel client, Scheme scheme, SocketAddress remote) {
        accept(client, Objects.requireNonNull(unaccepted.get(scheme)), remote);
    }

    private void accept(Channel client, Port port, SocketAddress peer) {
        int count = open.incrementAndGet();
        port.openHere.incrementAndGet();
        client.closeFuture()
                .addListener(closed -> {
                    open.decrementAndGet();
                    port.closedOne();
                });
        var remote = port.isUnix() ? ProxyHeader.UNIX_PEER : peer;
        var current = rules;
        var address = current.peer(remote).address();
        if (count > current.maxConnections()) {
            turnAway(client, Overflow.TOO_MANY_CONNECTIONS, address);
            return;
        }
        client.config()
                .setOption(
                        ChannelOption.ALLOW_HALF_CLOSURE,
                        current.settings().halfClose() == HalfClose.ANSWER);
        var service = port.service();
        var arrival = new Arrival(remote, service.scheme());
        var configured = service.settings();
        if (configured == null || configured.proxies().isEmpty()) {
            admit(client, service, arrival);
        } else if (configured.isProxy(address)) {
            client.pipeline()
                    .addLast(
                            new ProxyHandshake(
                                    address,
                                    events::proxyHeader,
                                    header ->
                                            admit(
                                                    client,
                                                    service,
                                                    arrival.behind(
                                                            header,
                                                            address,
                                                            rules.trust()
                                                                    .trusted()
                                                                    .test(address)))));
        } else {
            client.pipeline().addLast(new UnlistedProxyHeader(address, events::proxyHeader));
            admit(client, service, arrival);
        }
    }

    /** Serves {@code client}, whose address is known. */
    private void admit(Channel client, PortService service, Arrival arrival) {
        var current = rules;
        var address = current.peer(arrival.remote()).address();
        int share = current.settings().maxConnectionsPerClient();
        // The clients of a Unix socket are not told apart.
        if (share > 0 && !arrival.remote().equals(ProxyHeader.UNIX_PEER)) {
            if (!shares.enter(address, share)) {
                turnAway(client, Overflow.TOO_MANY_OF_ONE_CLIENT, address);
                return;
            }
            client.closeFuture().addListener(closed -> shares.leave(address));
        }
        if (service.isOutdated()) {
            client.close();
            return;
        }
        if (service.isTls()) {
            secure(client, service, arrival);
            return;
        }
        var protocols = protocols(client, service.port(), arrival);
        if (!service.has(ListenProtocol.H2C)) {
            protocols.http1(client.pipeline());
        } else if (service.has(ListenProtocol.HTTP1)) {
            protocols.either(client.pipeline());
        } else {
            protocols.http2(client.pipeline());
        }
    }

    /** Serves {@code client} once its handshake is complete. */
    private void secure(Channel client, PortService service, Arrival arrival) {
        var others = handshakes.computeIfAbsent(client.eventLoop(), loop -> new Handshakes());
        var oldest = others.enter(client, rules.peer(arrival).address());
        if (oldest != null) {
            turnAway(oldest.getKey(), Overflow.TOO_MANY_HANDSHAKES, oldest.getValue());
        }
        client.closeFuture().addListener(closed -> others.leave(client));
        var handshake =
                new ServerHandshake(
                        tls,
                        service.tlsProtocols(),
                        TimeUnit.NANOSECONDS.toMillis(rules.headNanos()),
                        client.eventLoop().ticker().nanoTime(),
                        agreed -> {
                            others.leave(client);
                            serve(client, service, arrival.with(agreed), agreed.identity());
                        });
        client.pipeline().addLast(new PlainRequest(handshake::willNotBegin), handshake);
    }

    private void serve(Channel client, PortService service, Arrival arrival, TlsIdentity identity) {
        if (!tls.allows(identity) || service.isOutdated()) {
            // Other certificates or settings are in use since the handshake began.
            client.close();
            return;
        }
        var protocols = protocols(client, service.port(), arrival);
        if (arrival.speaksHttp2()) {
            protocols.http2(client.pipeline());
        } else if (service.has(ListenProtocol.HTTP1)) {
            protocols.http1(client.pipeline());
        } else {
            client.close();
        }
    }

    private ClientProtocols protocols(Channel client, Port port, Arrival arrival) {
        return new ClientProtocols(
                arrival, exchanges, () -> rules, port.siblings(client.eventLoop()));
    }

    private void turnAway(Channel client, Overflow reason, InetAddress address) {
        turnedAway.add(reason, address, client.eventLoop());
        client.close();
    }
}
