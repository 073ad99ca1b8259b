package dev.quire.proxy;

import dev.quire.core.assemble.AssemblyObserver;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.expression.RequestVariables;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.OperatorLifetime;
import dev.quire.core.policy.Settings;
import dev.quire.proxy.admin.AdminServer;
import dev.quire.proxy.cache.BanLurker;
import dev.quire.proxy.cache.Coalescer;
import dev.quire.proxy.cache.Compressing;
import dev.quire.proxy.cache.DocumentReader;
import dev.quire.proxy.cache.DocumentRules;
import dev.quire.proxy.cache.HitForMiss;
import dev.quire.proxy.cache.IntakeRules;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.Transit;
import dev.quire.proxy.cli.Addresses;
import dev.quire.proxy.cli.CannotStart;
import dev.quire.proxy.cli.Server;
import dev.quire.proxy.config.CacheConfig;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.Problem;
import dev.quire.proxy.config.RouteConfig;
import dev.quire.proxy.deliver.PageDelivery;
import dev.quire.proxy.deliver.StoredHeads;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.fetch.Fetcher;
import dev.quire.proxy.listen.Listener;
import dev.quire.proxy.listen.ReaderVariants;
import dev.quire.proxy.listen.Transport;
import dev.quire.proxy.log.AccessLog;
import dev.quire.proxy.metrics.Metrics;
import dev.quire.proxy.path.AnswerSteps;
import dev.quire.proxy.path.Codings;
import dev.quire.proxy.path.Exchanges;
import dev.quire.proxy.path.Fetches;
import dev.quire.proxy.path.Invalidation;
import dev.quire.proxy.path.Journal;
import dev.quire.proxy.path.Lane;
import dev.quire.proxy.path.Pages;
import dev.quire.proxy.path.RequestPath;
import dev.quire.proxy.path.ReservedArguments;
import dev.quire.proxy.path.Reshaping;
import dev.quire.proxy.path.UpstreamRequest;
import dev.quire.proxy.route.HostPattern;
import dev.quire.proxy.route.PathPattern;
import dev.quire.proxy.route.Router;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The surrogate: makes its parts, top to bottom, starts them and stops them. */
public final class Proxy implements Server, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Proxy.class);

    /** Bodies in transit may hold this part of what the cache may keep. */
    private static final long TRANSIT_PART = 4;

    private final Configuration configuration;
    private final EventLoopGroup loops;
    private final Map<String, Fetcher> fetchers = new LinkedHashMap<>();
    private final PageStore store;
    private final BanLurker lurker;
    private final Listener listener;
    private final AdminServer admin;
    private final Administration administration;
    private final AccessLog accessLog;

    /**
     * @param time drives the cache; sockets keep to the machine's own clock
     */
    public Proxy(Configuration configuration, Time time) {
        this(configuration, time, AssemblyObserver.NONE);
    }

    /**
     * @param time drives the cache; sockets keep to the machine's own clock
     * @param observer told what readers' pages are made of, on event loops
     */
    public Proxy(Configuration configuration, Time time, AssemblyObserver observer) {
        this.configuration = configuration;
        var transport = Transport.ofThisMachine();
        this.loops =
                new MultiThreadIoEventLoopGroup(
                        transport.loops(),
                        new DefaultThreadFactory("quire-loop", true),
                        transport.ioHandlers());

        var metrics = new Metrics();
        this.accessLog = new AccessLog(configuration.log());
        metrics.showAccessLogDropped(accessLog::dropped);
        var journal = new Journal(metrics, accessLog, time, observer);

        var cache = configuration.cache();
        var transit = new Transit(cache.memoryBytes() / TRANSIT_PART);
        this.store = new PageStore(cache.memoryBytes(), transit, time::now, time::ticks);
        this.lurker = new BanLurker(store);
        var hitForMiss = new HitForMiss(cache.hitForMiss(), time::now);
        var coalescer =
                new Coalescer(
                        store,
                        hitForMiss,
                        transit,
                        new StoredHeads(cache.compression()),
                        time::now,
                        time::originWall,
                        time::steadyWall,
                        journal);

        configuration
                .origins()
                .forEach((name, origin) ->
                        fetchers.put(
                                name,
                                new Fetcher(
                                        origin,
                                        transport.clientChannel(),
                                        transport.datagramChannel(),
                                        metrics.origin(name))));
        var router = router();

        var esi = configuration.esi();
        var path =
                new RequestPath(
                        store,
                        hitForMiss,
                        new Fetches(coalescer, new UpstreamRequest(esi.deviceToken()), store),
                        time,
                        metrics);
        var invalidation = new Invalidation(store);
        var compressing =
                new Compressing(store, task -> Thread.ofVirtual().name("compress").start(task));
        var reshaping = new Reshaping(store, cache.maxObjectBytes());
        var pages =
                new Pages(
                        path,
                        router,
                        new Pages.Rules(
                                new PageDelivery.Rules(
                                        esi.limits(),
                                        esi.onError(),
                                        new PageDelivery.Timing(
                                                configuration.deliver().firstFlush(),
                                                esi.pageDeadline(),
                                                new PageDelivery.Clocks(time::now, time::wall))),
                                new RequestVariables.Rules(esi.variables()),
                                esi.includeTimeout(),
                                esi.passSetCookie()),
                        new Pages.Workshop(
                                new DocumentReader(store, journal), reshaping, compressing),
                        invalidation,
                        time,
                        metrics);
        var exchanges =
                new Exchanges(
                        router,
                        new Exchanges.Rules(
                                new ReservedArguments(esi.variables().argumentsPrefix()),
                                esi.trustDownstream(),
                                cache.heeded()::contains),
                        new AnswerSteps(
                                path,
                                pages,
                                new Codings(cache.compression(), compressing),
                                reshaping,
                                invalidation,
                                time),
                        journal);
        this.listener =
                new Listener(
                        loops,
                        transport,
                        exchanges,
                        new Listener.Rules(
                                configuration.listen().keepAlive(),
                                configuration.listen().maxConnectionsPerClient(),
                                configuration::trusts,
                                configuration
                                        .variants()
                                        .key()
                                        .map(key -> ReaderVariants.of(key, time::wall))
                                        .orElse(ReaderVariants.NONE)),
                        time::wall,
                        journal);
        this.administration =
                new Administration(
                        configuration,
                        store,
                        lurker,
                        transit,
                        coalescer,
                        fetchers,
                        journal,
                        metrics,
                        time);
        this.admin = new AdminServer(configuration.admin(), administration);
    }

    @Override
    public Addresses start() throws CannotStart {
        try {
            requireDirectMemory();
            var adminAddress = admin.start();
            var http =
                    listener.listen(
                            configuration.listen().http().resolved(),
                            Scheme.HTTP,
                            configuration.listen().backlog());
            lurker.start();
            fetchers.values().forEach(fetcher -> fetcher.check(loops.next()));
            administration.ready(true);
            return new Addresses(http, adminAddress);
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
                                    "addresses that are free")));
        }
    }

    /**
     * Serves {@code client}, a connection that has not come through the port, on that connection's
     * own loop: so requests can be made without sockets. Only a loop of the transport's kind can
     * ask an origin; on any other nothing but what is stored is to be asked for.
     */
    public void serve(Channel client) {
        listener.accept(client, Scheme.HTTP);
    }

    @Override
    public void drainAndStop() {
        administration.ready(false);
        try {
            TimeUnit.NANOSECONDS.sleep(configuration.drain().grace().toNanos());
            listener.drain(configuration.drain().timeout());
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        close();
    }

    /** Stops at once. */
    @Override
    public void close() {
        administration.ready(false);
        listener.close();
        fetchers.values().forEach(Fetcher::close);
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
        admin.close();
        lurker.close();
        store.close();
        accessLog.close();
    }

    /**
     * Copies of all that is stored, in every form it is kept in. Long work: not for event loops.
     */
    public List<StoredEntry> stored() {
        var entries = new ArrayList<StoredEntry>();
        store.forEach(response -> entries.add(StoredEntry.of(response)));
        return entries;
    }

    /**
     * How many fetches are under way whose answers may yet be stored, refreshes that nobody waits
     * for included. Any thread.
     */
    public int openFetches() {
        return store.openFetches();
    }

    private Router<Lane> router() {
        var routes = new ArrayList<Router.Route<Lane>>();
        for (var route : configuration.routes()) {
            var fetcher = fetchers.get(route.origin());
            if (fetcher == null) {
                throw new IllegalStateException("no origin is called " + route.origin());
            }
            routes.add(
                    new Router.Route<>(
                            new HostPattern(route.host()),
                            new PathPattern(route.path()),
                            new Lane(fetcher, rules(route))));
        }
        return new Router<>(routes);
    }

    private IntakeRules rules(RouteConfig route) {
        var cache = configuration.cache();
        var esi = configuration.esi();
        var freshness = route.freshness();
        return new IntakeRules(
                new Settings(
                        freshness.defaultGrace().orElse(cache.grace()),
                        freshness.defaultStaleIfError().orElse(cache.staleIfError()),
                        cache.staleIfUnreachable(),
                        cache.heuristic(),
                        cache.setCookie() == CacheConfig.SetCookie.STORE,
                        esi.deviceToken(),
                        cache.staleDespiteSharedMaxAge(),
                        new OperatorLifetime(
                                freshness.ttl(),
                                freshness.grace(),
                                freshness.staleIfError(),
                                freshness.defaultTtl())),
                route.esi(),
                new DocumentRules(
                        Set.copyOf(esi.contentTypes()),
                        new ReferenceResolver(Set.copyOf(esi.allowedHosts())),
                        esi.maxDocumentBytes(),
                        esi.limits().maxIncludes(),
                        esi.reading(),
                        esi.isStrict()),
                cache.maxObjectBytes(),
                route.host() + route.path());
    }

    private void requireDirectMemory() throws CannotStart {
        long needed =
                configuration.cache().memoryBytes()
                        + configuration.cache().memoryBytes() / TRANSIT_PART;
        long available = PlatformDependent.maxDirectMemory();
        if (available < needed) {
            throw new CannotStart(
                    List.of(
                            new Problem(
                                    Optional.empty(),
                                    "cache.memory",
                                    configuration.cache().memoryBytes()
                                            + " B and a quarter for bodies in transit do not fit"
                                            + " into the JVM's direct memory of "
                                            + available
                                            + " B",
                                    available / (TRANSIT_PART + 1) * TRANSIT_PART
                                            + " B at most, or the JVM's option"
                                            + " -XX:MaxDirectMemorySize="
                                            + needed
                                            + ", which bin/quire takes from QUIRE_JVM_OPTIONS")));
        }
        long heap = Runtime.getRuntime().maxMemory();
        if (heap < needed) {
            LOG.warn(
                    "cache.memory of {} B may not fit into a heap of {} B: of small objects most is"
                            + " heap (expected -Xmx{} or more)",
                    configuration.cache().memoryBytes(),
                    heap,
                    needed);
        }
    }
}
