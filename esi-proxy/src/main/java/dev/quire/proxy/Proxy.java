package dev.quire.proxy;

import dev.quire.core.assemble.AssemblyObserver;
import dev.quire.core.http.Scheme;
import dev.quire.proxy.admin.AdminActions;
import dev.quire.proxy.admin.AdminServer;
import dev.quire.proxy.cache.BanLurker;
import dev.quire.proxy.cli.CannotStart;
import dev.quire.proxy.cli.ListenAddresses;
import dev.quire.proxy.cli.Server;
import dev.quire.proxy.cli.ServerHealth;
import dev.quire.proxy.config.CacheConfig;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.Problem;
import dev.quire.proxy.exchange.OriginClient;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.exchange.Tunnels;
import dev.quire.proxy.listen.Descriptors;
import dev.quire.proxy.listen.EventLoops;
import dev.quire.proxy.listen.Listener;
import dev.quire.proxy.listen.Transport;
import dev.quire.proxy.log.AccessLog;
import dev.quire.proxy.log.ProcessLog;
import dev.quire.proxy.metrics.Metrics;
import dev.quire.proxy.path.Exchanges;
import dev.quire.proxy.path.Journal;
import dev.quire.proxy.path.ProxyParts;
import dev.quire.proxy.path.SharedParts;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The surrogate: creates its parts, starts and stops them. */
public final class Proxy implements Server, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Proxy.class);

    private final EventLoopGroup loops;

    /** Whether closing the proxy shuts down the loops. */
    private final boolean ownsLoops;

    /** Origin clients by name; null if the proxy creates fetchers. */
    private final @Nullable Function<String, OriginClient> given;

    private final AccessLog accessLog;
    private final SharedParts shared;
    private final BanLurker lurker;
    private final Origins origins;
    private final Exchanges exchanges;
    private final Listener listener;
    private final Administration administration;
    private final AdminServer admin;
    private final Optional<AdminServer> probes;

    /**
     * @param time drives the cache; sockets use the machine's clock
     */
    public Proxy(Configuration configuration, Time time) {
        this(configuration, time, AssemblyObserver.NONE);
    }

    /**
     * @param time drives the cache; sockets use the machine's clock
     * @param observer notified of the parts of each page, on event loops
     */
    public Proxy(Configuration configuration, Time time, AssemblyObserver observer) {
        this(configuration, time, observer, null, null);
    }

    private Proxy(
            Configuration configuration,
            Time time,
            AssemblyObserver observer,
            @Nullable EventLoopGroup drivers,
            @Nullable Function<String, OriginClient> given) {
        this.given = given;
        var transport = Transport.ofThisMachine();
        this.ownsLoops = drivers == null;
        this.loops =
                drivers != null
                        ? drivers
                        : new EventLoops(transport.loops(), "quire-loop", transport.ioHandlers());
        var metrics = new Metrics();
        this.accessLog = new AccessLog(configuration.log());
        metrics.showAccessLogDropped(accessLog::dropped);
        metrics.showLogDropped(ProcessLog::dropped);
        var journal = new Journal(metrics, accessLog, time, observer);
        this.shared =
                SharedParts.of(
                        configuration.cache(),
                        time,
                        metrics,
                        journal,
                        task -> Thread.ofVirtual().name("compress").start(task),
                        new Tunnels(maxTunnels(configuration)));
        this.lurker = new BanLurker(shared.store());
        this.origins = new Origins(transport, metrics, shared.transit().half());
        this.exchanges = new Exchanges(shared, parts(configuration, 1));
        this.listener =
                new Listener(
                        loops,
                        transport,
                        exchanges,
                        new Listener.Rules(
                                configuration.listen(),
                                configuration.limits(),
                                () -> exchanges.current().configuration().defaultHost(),
                                given == null ? maxClients(configuration) : Descriptors.MAX_CLIENTS,
                                configuration.trust()),
                        time::wall,
                        journal);
        metrics.showClients(
                listener::openConnections,
                exchanges::open,
                listener::receivedBytes,
                listener::sentBytes);
        this.administration = new Administration(shared, exchanges, origins, lurker);
        this.admin =
                AdminServer.of(
                        configuration.admin(),
                        administration,
                        () -> new EventLoops(1, "quire-admin", NioIoHandler.newFactory()));
        this.probes =
                configuration
                        .admin()
                        .probes()
                        .map(address ->
                                AdminServer.ofProbes(
                                        address,
                                        administration,
                                        () ->
                                                new EventLoops(
                                                        1,
                                                        "quire-probes",
                                                        NioIoHandler.newFactory())));
    }

    private static int maxClients(Configuration configuration) {
        long limit = Descriptors.limit();
        int clients =
                Descriptors.forClients(limit, reserved(configuration) + maxTunnels(configuration));
        if (clients < Descriptors.MAX_CLIENTS) {
            LOG.atWarn()
                    .addKeyValue("event", "few-open-files")
                    .log(
                            "at most {} client connections, since the process may open {} files (expected a"
                                    + " limit of {} or more, see ulimit -n)",
                            clients,
                            limit,
                            limit + Descriptors.MAX_CLIENTS - clients);
        }
        return clients;
    }

    private static int maxTunnels(Configuration configuration) {
        return Descriptors.forTunnels(
                Descriptors.limit(), reserved(configuration), configuration.listen().maxTunnels());
    }

    /** The descriptors of connections to origins, without tunnels, and of the admin ports. */
    private static long reserved(Configuration configuration) {
        return 2L * AdminServer.MAX_CONNECTIONS
                + configuration.origins().values().stream()
                        .mapToLong(origin -> (long) origin.maxConnections() * origin.urls().size())
                        .sum();
    }

    private ProxyParts parts(Configuration configuration, long number) {
        var fetchers = origins.of(given == null ? configuration.origins() : Map.of());
        try {
            return ProxyParts.of(
                    configuration,
                    number,
                    shared,
                    given == null ? fetchers::named : given,
                    fetchers::close);
        } catch (RuntimeException unusable) {
            origins.drop(fetchers);
            throw unusable;
        }
    }

    /**
     * Uses {@code next} for requests that begin after this call; requests in progress keep their
     * configuration. The sections {@code listen}, {@code trusted}, {@code admin} and {@code log}
     * (except {@code request-id}), of {@code cache} the memory, hit-for-miss and compress, and of
     * {@code limits} those of heads keep their initial values. Call after {@link #start}.
     * Thread-safe.
     */
    public synchronized void replace(Configuration next) {
        exchanges.replace(parts(next, exchanges.current().number() + 1));
        origins.current().check(loops);
    }

    /**
     * Creates a proxy without sockets: it serves the connections passed to {@link #serve} and sends
     * requests to the clients that {@code origins} returns. It is closed but never started. Its
     * admin operations are available through {@link #administration}.
     *
     * @param loops drive those connections; owned by the caller
     * @param origins the client of each configured origin, by name
     */
    public static Proxy withoutSockets(
            Configuration configuration,
            Time time,
            AssemblyObserver observer,
            EventLoopGroup loops,
            Function<String, OriginClient> origins) {
        return new Proxy(configuration, time, observer, loops, origins);
    }

    @Override
    public ListenAddresses start() throws CannotStart {
        var configuration = exchanges.current().configuration();
        try {
            var lack = lackOfMemory(configuration);
            if (lack.isPresent()) {
                throw new CannotStart(List.of(lack.get()));
            }
            warnOfSmallHeap(shared.cache());
            var adminAddress = admin.start();
            Optional<InetSocketAddress> probesAddress =
                    probes.isPresent() ? Optional.of(probes.get().start()) : Optional.empty();
            var http = listener.listen(configuration.listen().http().resolved(), Scheme.HTTP);
            lurker.start();
            origins.current().check(loops);
            administration.ready(true);
            return new ListenAddresses(http, adminAddress, probesAddress);
        } catch (CannotStart cannot) {
            close();
            throw cannot;
        } catch (IOException cannotListen) {
            close();
            throw new CannotStart(
                    List.of(
                            new Problem(
                                    Optional.empty(),
                                    "",
                                    String.valueOf(cannotListen.getMessage()),
                                    "free addresses")));
        }
    }

    /**
     * Serves {@code client}, a connection that was not accepted by the listener, on its own event
     * loop. Allows requests without sockets. Only a loop of the transport's kind can connect to an
     * origin; on any other loop only stored responses can be served.
     */
    public void serve(Channel client) {
        listener.accept(client, Scheme.HTTP);
    }

    /** Like {@link #serve(Channel)}, with {@code remote} as the client's address. */
    public void serve(Channel client, InetSocketAddress remote) {
        listener.accept(client, Scheme.HTTP, remote);
    }

    /** Reopens the files of the logs; loses no line. Thread-safe; does not block. */
    public void reopenLogs() {
        accessLog.reopen();
    }

    @Override
    public List<ServerHealth> servers() {
        return origins.current().servers();
    }

    public AdminActions administration() {
        return administration;
    }

    @Override
    public void drainAndStop() {
        administration.ready(false);
        var configuration = exchanges.current().configuration();
        try {
            TimeUnit.NANOSECONDS.sleep(configuration.drain().grace().toNanos());
            // A new process can start while the last connections of this one run out.
            listener.beginDraining();
            admin.stopListening();
            probes.ifPresent(AdminServer::stopListening);
            listener.drain(configuration.drain().timeout());
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        close();
    }

    /** Stops immediately, without draining. */
    @Override
    public void close() {
        administration.ready(false);
        listener.close();
        exchanges.close();
        if (ownsLoops) {
            loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
        }
        admin.close();
        probes.ifPresent(AdminServer::close);
        lurker.close();
        shared.store().close();
        accessLog.close();
    }

    /** Returns copies of all stored responses with all their forms. Slow: not for event loops. */
    public List<StoredEntry> stored() {
        var entries = new ArrayList<StoredEntry>();
        shared.store().forEach(response -> entries.add(StoredEntry.of(response)));
        return entries;
    }

    /**
     * The number of in-flight fetches whose responses may be stored, including background
     * refreshes. Thread-safe.
     */
    public int openFetches() {
        return shared.store().openFetches();
    }

    /** Returns why the JVM's memory does not suffice for {@code configuration}, or nothing. */
    static Optional<Problem> lackOfMemory(Configuration configuration) {
        var cache = configuration.cache();
        long needed = neededBytes(cache);
        long available = PlatformDependent.maxDirectMemory();
        return available >= needed
                ? Optional.empty()
                : Optional.of(
                        new Problem(
                                Optional.empty(),
                                "cache.memory",
                                cache.memoryBytes()
                                        + " B plus 25 % for in-flight bodies exceeds the JVM's"
                                        + " direct memory limit of "
                                        + available
                                        + " B",
                                "at most "
                                        + CacheConfig.memoryBytesWithin(available)
                                        + " B, or the JVM option -XX:MaxDirectMemorySize="
                                        + needed
                                        + ", which bin/quire takes from QUIRE_JVM_OPTIONS"));
    }

    private static void warnOfSmallHeap(CacheConfig cache) {
        long needed = neededBytes(cache);
        long heap = Runtime.getRuntime().maxMemory();
        if (heap < needed) {
            LOG.atWarn()
                    .addKeyValue("event", "small-heap")
                    .log(
                            "cache.memory of {} B may not fit into the heap of {} B: small responses are"
                                    + " stored mostly in the heap (expected -Xmx{} or more)",
                            cache.memoryBytes(),
                            heap,
                            needed);
        }
    }

    private static long neededBytes(CacheConfig cache) {
        return cache.memoryBytes() + cache.transitBytes();
    }
}
