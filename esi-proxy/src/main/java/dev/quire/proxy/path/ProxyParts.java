package dev.quire.proxy.path;

import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.policy.Settings;
import dev.quire.proxy.cache.DocumentReader;
import dev.quire.proxy.cache.DocumentRules;
import dev.quire.proxy.cache.RouteCacheRules;
import dev.quire.proxy.cache.SpacedInvalidations;
import dev.quire.proxy.config.CacheConfig;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.RouteConfig;
import dev.quire.proxy.deliver.PageDelivery;
import dev.quire.proxy.exchange.Generation;
import dev.quire.proxy.exchange.OriginClient;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.route.HostPattern;
import dev.quire.proxy.route.PathPattern;
import dev.quire.proxy.route.Router;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * The parts built from one generation of the configuration. Several generations may be in use at
 * the same time: an exchange keeps the parts it began with.
 */
public final class ProxyParts implements Generation {
    final Router<RouteTarget> router;
    final ReservedArguments reserved;
    final AnswerSteps steps;
    final ReaderVariants variants;

    private final Configuration configuration;
    private final long number;
    private final Runnable whenUnused;

    /*
     * Exchanges are counted without contention between loops. Both counters only grow, so reading
     * the second one first never yields too low a number. With a single counter that also falls, an
     * exchange that begins in one cell and ends in another could be missed.
     */
    private final LongAdder begun = new LongAdder();
    private final LongAdder ended = new LongAdder();
    private final AtomicBoolean isUnused = new AtomicBoolean();
    private volatile boolean isReplaced;

    private ProxyParts(
            Configuration configuration,
            long number,
            SharedParts shared,
            Router<RouteTarget> router,
            Runnable whenUnused) {
        var esi = configuration.esi();
        var cache = configuration.cache();
        var store = shared.store();
        var time = shared.time();
        this.configuration = configuration;
        this.number = number;
        this.whenUnused = whenUnused;
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
                        new Fetches(
                                shared.coalescer().apart(),
                                new UpstreamRequest(esi.deviceToken()),
                                store,
                                shared.hitForMiss()),
                        time,
                        shared.metrics());
        var invalidation =
                new UnsafeMethodInvalidation(
                        store,
                        cache.invalidatesLocation() ? new SpacedInvalidations(store, time) : null);
        var reshaping = new FragmentTransforms(store, cache.maxObjectBytes());
        var pages =
                new Pages(
                        path,
                        router,
                        new PageDelivery.Rules(
                                esi,
                                configuration.deliver(),
                                new PageDelivery.Clocks(time::now, time::wall)),
                        new Pages.Transformers(
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
     * Builds the parts for {@code configuration}.
     *
     * @param number starts at 1 and grows with every configuration
     * @param origins the client of each configured origin, by name
     * @param whenUnused run once these parts have been replaced and their last exchange has ended;
     *     on any thread
     */
    public static ProxyParts of(
            Configuration configuration,
            long number,
            SharedParts shared,
            Function<String, OriginClient> origins,
            Runnable whenUnused) {
        var router =
                new Router<>(
                        configuration.routes().stream()
                                .map(route ->
                                        new Router.Route<>(
                                                new HostPattern(route.host()),
                                                new PathPattern(route.path()),
                                                target(
                                                        configuration,
                                                        route,
                                                        origins.apply(route.origin()))))
                                .toList());
        return new ProxyParts(configuration, number, shared, router, whenUnused);
    }

    private static RouteTarget target(
            Configuration configuration, RouteConfig route, OriginClient origin) {
        var settings = Objects.requireNonNull(configuration.origins().get(route.origin()));
        var deadlines = route.timeouts().over(settings.deadlines());
        return new RouteTarget(
                origin,
                rules(configuration, route),
                route.bodyBytes().orElse(configuration.limits().bodyBytes()),
                new OriginRequest.Deadlines(
                        deadlines.firstByte(), deadlines.betweenBytes(), deadlines.idle()),
                route.tunnelIdle());
    }

    private static RouteCacheRules rules(Configuration configuration, RouteConfig route) {
        var cache = configuration.cache();
        var esi = configuration.esi();
        return new RouteCacheRules(
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

    /** Starts at 1 and grows with every configuration. */
    public long number() {
        return number;
    }

    /** Counts an exchange that begins. Returns false if these parts have been replaced. */
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
            closeIfUnused();
        }
    }

    /** From now on no exchange begins with these parts. */
    void replaced() {
        isReplaced = true;
        closeIfUnused();
    }

    /**
     * Exchanges in progress: at least as many as at some moment during the call. Once these parts
     * have been replaced, zero means that all have ended.
     */
    long open() {
        long over = ended.sum();
        return begun.sum() - over;
    }

    /** Whether they have been replaced and their last exchange has ended. */
    boolean isUnused() {
        return isUnused.get();
    }

    /** Releases their resources; idempotent. */
    void close() {
        if (isUnused.compareAndSet(false, true)) {
            whenUnused.run();
        }
    }

    private void closeIfUnused() {
        if (open() == 0) {
            close();
        }
    }
}
