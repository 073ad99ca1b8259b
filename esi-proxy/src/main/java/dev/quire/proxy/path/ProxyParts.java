package dev.quire.proxy.path;

import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.expression.RequestVariables;
import dev.quire.core.policy.Settings;
import dev.quire.proxy.cache.DocumentReader;
import dev.quire.proxy.cache.DocumentRules;
import dev.quire.proxy.cache.IntakeRules;
import dev.quire.proxy.config.CacheConfig;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.RouteConfig;
import dev.quire.proxy.deliver.PageDelivery;
import dev.quire.proxy.exchange.Generation;
import dev.quire.proxy.exchange.OriginClient;
import dev.quire.proxy.listen.ReaderVariants;
import dev.quire.proxy.route.HostPattern;
import dev.quire.proxy.route.PathPattern;
import dev.quire.proxy.route.Router;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * Everything that one generation of the configuration is made into. Several may be in use at one
 * time: an exchange keeps the one it began with.
 */
public final class ProxyParts implements Generation {
    final Router<Lane> router;
    final ReservedArguments reserved;
    final AnswerSteps steps;

    private final Configuration configuration;
    private final long number;
    private final ReaderVariants variants;
    private final Runnable left;

    /*
     * Two counters that only grow: of one that also falls, a sum could miss an exchange that begins
     * in one cell and ends in another. See open().
     */
    private final LongAdder begun = new LongAdder();
    private final LongAdder ended = new LongAdder();
    private final AtomicBoolean isLeft = new AtomicBoolean();
    private volatile boolean isReplaced;

    private ProxyParts(
            Configuration configuration,
            long number,
            SharedParts shared,
            Router<Lane> router,
            Runnable left) {
        var esi = configuration.esi();
        var cache = configuration.cache();
        var store = shared.store();
        var time = shared.time();
        this.configuration = configuration;
        this.number = number;
        this.left = left;
        this.router = router;
        this.variants =
                configuration
                        .variants()
                        .key()
                        .map(key -> ReaderVariants.of(key, time::wall))
                        .orElse(ReaderVariants.NONE);
        this.reserved = new ReservedArguments(esi.variables().argumentsPrefix());
        var path =
                new RequestPath(
                        store,
                        shared.hitForMiss(),
                        new Fetches(
                                shared.coalescer(), new UpstreamRequest(esi.deviceToken()), store),
                        time,
                        shared.metrics());
        var invalidation = new Invalidation(store);
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
                                new DocumentReader(store, shared.journal()),
                                reshaping,
                                shared.compressing()),
                        invalidation,
                        time,
                        shared.metrics());
        this.steps =
                new AnswerSteps(
                        path,
                        pages,
                        new Codings(shared.cache().compression(), shared.compressing()),
                        reshaping,
                        invalidation,
                        time);
    }

    /**
     * The parts that {@code configuration} asks for.
     *
     * @param number counts up from 1 with every configuration
     * @param origins the client of each of the configuration's origins, by name
     * @param left run once these parts have been replaced and the last exchange that began with
     *     them is over; on any thread
     */
    public static ProxyParts of(
            Configuration configuration,
            long number,
            SharedParts shared,
            Function<String, OriginClient> origins,
            Runnable left) {
        var router =
                new Router<>(
                        configuration.routes().stream()
                                .map(route ->
                                        new Router.Route<>(
                                                new HostPattern(route.host()),
                                                new PathPattern(route.path()),
                                                new Lane(
                                                        origins.apply(route.origin()),
                                                        rules(configuration, route))))
                                .toList());
        return new ProxyParts(configuration, number, shared, router, left);
    }

    private static IntakeRules rules(Configuration configuration, RouteConfig route) {
        var cache = configuration.cache();
        var esi = configuration.esi();
        return new IntakeRules(
                new Settings(
                        route.defaultGrace().orElse(cache.grace()),
                        route.defaultStaleIfError().orElse(cache.staleIfError()),
                        cache.staleIfUnreachable(),
                        cache.heuristic(),
                        cache.setCookie() == CacheConfig.SetCookie.STORE,
                        esi.deviceToken(),
                        cache.staleDespiteSharedMaxAge(),
                        route.operator()),
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

    public Configuration configuration() {
        return configuration;
    }

    /** Counts up from 1 with every configuration. */
    public long number() {
        return number;
    }

    /** Which variants readers get. */
    public ReaderVariants variants() {
        return variants;
    }

    /** An exchange is to be served by these; false if it must ask for newer ones. */
    boolean begin() {
        begun.increment();
        if (isReplaced) {
            ended();
            return false;
        }
        return true;
    }

    @Override
    public void ended() {
        ended.increment();
        if (isReplaced) {
            leaveIfOver();
        }
    }

    /** No exchange begins with these any more. */
    void replaced() {
        isReplaced = true;
        leaveIfOver();
    }

    /**
     * Exchanges under way; at least as many as at one moment during the call, so once no more begin
     * zero means that all are over.
     */
    long open() {
        long over = ended.sum();
        return begun.sum() - over;
    }

    /** Whether the last exchange that began with these is over, and no other will. */
    boolean isLeft() {
        return isLeft.get();
    }

    /** Nothing is to be served any more. */
    void close() {
        if (isLeft.compareAndSet(false, true)) {
            left.run();
        }
    }

    private void leaveIfOver() {
        if (open() == 0) {
            close();
        }
    }
}
