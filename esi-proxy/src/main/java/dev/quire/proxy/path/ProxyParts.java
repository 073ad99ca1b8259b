package dev.quire.proxy.path;

import dev.quire.core.assemble.ErrorPage;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.http.FieldNames;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.HttpsRedirect;
import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.PathPattern;
import dev.quire.proxy.cache.DocumentReader;
import dev.quire.proxy.cache.DocumentRules;
import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.cache.RouteCacheRules;
import dev.quire.proxy.cache.SpacedInvalidations;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.RouteConfig;
import dev.quire.proxy.config.Secret;
import dev.quire.proxy.deliver.PageDelivery;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.Generation;
import dev.quire.proxy.exchange.OriginClient;
import dev.quire.proxy.exchange.OriginRequest;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.route.ReaderVariants;
import dev.quire.proxy.route.Router;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The parts built from one generation of the configuration. Several generations may be in use at
 * the same time: an exchange keeps the parts it began with.
 */
public final class ProxyParts implements Generation {
    final Router<RouteTarget> router;
    final ReservedArguments reserved;
    final AnswerSteps steps;
    final Ruling ruling;
    final ReaderVariants variants;

    /** Null unless requests without TLS are redirected. */
    final @Nullable HttpsRedirect httpsRedirect;

    private final Configuration configuration;
    private final Time time;
    private final long number;
    private final Runnable whenUnused;

    /*
     * Exchanges are counted without contention between loops. Both counters only grow, so reading
     * the second one first never yields too low a number. With a single counter that also falls, an
     * exchange that begins in one cell and ends in another could be missed.
     */
    private final LongAdder begun = new LongAdder();
    private final LongAdder ended = new LongAdder();

    private final CurrentParts current;
    private final LongAdder errors = new LongAdder();
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
        this.time = time;
        this.number = number;
        this.whenUnused = whenUnused;
        this.current = shared.current();
        this.router = router;
        this.httpsRedirect = configuration.listen().httpsRedirect().orElse(null);
        this.variants = configuration.variants().ofReaders(time::wall);
        this.reserved = new ReservedArguments(esi.variables().argumentsPrefix());
        var gates = new RuleGates(shared.gates(), time, shared.metrics());
        this.ruling = new Ruling(configuration.rules(), gates, time, shared.metrics());
        var path =
                new RequestPath(
                        store,
                        new Fetches(shared, new UpstreamRequest(esi.deviceToken()), gates, number),
                        time,
                        shared.metrics());
        var invalidation =
                new UnsafeMethodInvalidation(
                        store,
                        cache.invalidatesLocation() ? new SpacedInvalidations(store, time) : null);
        var reshaping = new FragmentTransforms(store, cache.maxObjectBytes(), shared.longWork());
        var pages =
                new Pages(
                        path,
                        new FragmentLookups.Routing(router, ruling),
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
                        new Codings(cache.compression(), shared.compressing(), shared.longWork()),
                        reshaping,
                        invalidation,
                        new OwnErrorPages(configuration.errorPages(), router, ruling, time),
                        new HintSender(store.hints(), shared.metrics()),
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
                                                target(configuration, route, origins)))
                                .toList());
        return new ProxyParts(configuration, number, shared, router, whenUnused);
    }

    private static RouteTarget target(
            Configuration configuration,
            RouteConfig route,
            Function<String, OriginClient> origins) {
        var rules = rules(configuration, route);
        var others = new HashMap<String, RouteTarget>();
        for (var name : configuration.rules().request().origins()) {
            others.put(name, target(configuration, route, name, origins, rules, Map.of()));
        }
        return target(configuration, route, route.origin(), origins, rules, others);
    }

    private static RouteTarget target(
            Configuration configuration,
            RouteConfig route,
            String origin,
            Function<String, OriginClient> origins,
            RouteCacheRules rules,
            Map<String, RouteTarget> others) {
        var settings = Objects.requireNonNull(configuration.origins().get(origin));
        var deadlines = route.timeouts().over(settings.deadlines());
        return new RouteTarget(
                origins.apply(origin),
                rules,
                configuration.rules().response(),
                route.bodyBytes().orElse(configuration.limits().bodyBytes()),
                new OriginRequest.Deadlines(
                        deadlines.firstByte(), deadlines.betweenBytes(), deadlines.idle()),
                route.tunnelIdle(),
                route.sendsCertificates(),
                route.hints(),
                FieldNames.of(route.trailers().toArray(String[]::new)),
                others);
    }

    /**
     * Returns a hash of the routes and rules, and of what decides which records of a shared store
     * are valid. Proxies for which it differs may not find all responses of each other, and may
     * remove them.
     */
    public static RecordHash storedBy(Configuration configuration) {
        var texts = new ArrayList<>(configuration.rules().request().sources());
        for (var route : configuration.routes()) {
            texts.add(route.host() + route.path());
            texts.add(recorded(configuration, route).storage() + "");
        }
        texts.add(configuration.shared().maxObjectBytes() + "");
        texts.add(configuration.shared().key().map(Secret::text).orElse(""));
        return RecordHash.of(texts);
    }

    private static RouteCacheRules rules(Configuration configuration, RouteConfig route) {
        return configuration.disk().isOn() || configuration.shared().isOn()
                ? recorded(configuration, route)
                : unrecorded(configuration, route);
    }

    private static RouteCacheRules recorded(Configuration configuration, RouteConfig route) {
        return unrecorded(configuration, route)
                .recorded(
                        configuration.rules().response(),
                        RequestFingerprint.of(configuration, route));
    }

    private static RouteCacheRules unrecorded(Configuration configuration, RouteConfig route) {
        var cache = configuration.cache();
        var esi = configuration.esi();
        return new RouteCacheRules(
                route.settings(cache, esi),
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

    /** Returns the keys of the store that a purge of {@code url} means. */
    public Set<CacheKey> keysOf(CacheKey url) {
        var keys = new HashSet<CacheKey>();
        for (var key : configuration.rules().request().keysOf(url, time::wall)) {
            keys.add(key);
            keys.add(reserved.removedFrom(key));
        }
        return keys;
    }

    /** Returns the rules under which responses to {@code key} may be stored. */
    public List<RouteCacheRules> rulesOf(CacheKey key) {
        return router.match(key) instanceof Router.Match.Matched<RouteTarget>(var target)
                ? Stream.concat(Stream.of(target), target.others().values().stream())
                        .map(RouteTarget::rules)
                        .toList()
                : List.of();
    }

    /** Starts at 1 and grows with every configuration. */
    public long number() {
        return number;
    }

    /** Counts an exchange that begins. Returns false if these parts have been replaced. */
    boolean begin() {
        begun.increment();
        if (isReplaced) {
            ended.increment();
            closeIfReplaced();
            return false;
        }
        return true;
    }

    @Override
    public void ended(boolean isError) {
        if (isError) {
            errors.increment();
        }
        ended.increment();
        closeIfReplaced();
    }

    @Override
    public Generation released() {
        current.streams().begin();
        ended.increment();
        closeIfReplaced();
        return new Released(current.streams(), errors);
    }

    /** Counts an exchange that goes on without its parts. */
    private record Released(Streams streams, LongAdder errors) implements Generation {
        @Override
        public void ended(boolean isError) {
            if (isError) {
                errors.increment();
            }
            streams.end();
        }

        @Override
        public Generation released() {
            return this;
        }
    }

    /**
     * Its responses to clients so far: those that have ended, and streams that have begun. May
     * count a few requests that a newer generation serves.
     */
    public CurrentParts.Responses answered() {
        long broken = errors.sum();
        return new CurrentParts.Responses(ended.sum(), broken);
    }

    @Override
    public boolean replaces(ErrorPage page, Exchange exchange) {
        return steps.errors().replaces(page, exchange, steps);
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

    /** Releases their resources; idempotent. */
    void close() {
        if (isUnused.compareAndSet(false, true)) {
            whenUnused.run();
            current.forget(this);
        }
    }

    private void closeIfReplaced() {
        if (isReplaced) {
            closeIfUnused();
        }
    }

    private void closeIfUnused() {
        if (open() == 0) {
            close();
        }
    }
}
