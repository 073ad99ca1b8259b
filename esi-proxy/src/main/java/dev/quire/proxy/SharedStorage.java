package dev.quire.proxy;

import static java.util.stream.Collectors.joining;

import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.cache.SharedPositions;
import dev.quire.proxy.cache.SharedTier;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.FleetConfig;
import dev.quire.proxy.config.HostPort;
import dev.quire.proxy.fleet.Ack;
import dev.quire.proxy.fleet.FleetLog;
import dev.quire.proxy.fleet.LogEviction;
import dev.quire.proxy.fleet.Membership;
import dev.quire.proxy.fleet.NodeBuild;
import dev.quire.proxy.fleet.NodeName;
import dev.quire.proxy.fleet.Replication;
import dev.quire.proxy.fleet.UnlikeNodes;
import dev.quire.proxy.path.ProxyParts;
import dev.quire.proxy.path.SharedParts;
import dev.quire.proxy.redis.RedisLog;
import dev.quire.proxy.redis.RedisRecords;
import dev.quire.proxy.route.OriginSettings;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The tier that several proxies share, and their log of invalidations. Begins to connect in the
 * background: the proxy needs neither.
 */
final class SharedStorage implements AutoCloseable {
    private static final Duration LONGEST_FLUSH = Duration.ofSeconds(1);

    /** After the start, when other nodes that start too have registered. */
    private static final Duration FIRST_LOOK = Duration.ofSeconds(10);

    private static final Duration EACH_LOOK = Duration.ofMinutes(1);

    /** A proxy that starts again waits so long for the log. */
    private static final Duration LONGEST_CATCH_UP = Duration.ofSeconds(1);

    private static final Duration LOOK = Duration.ofMillis(5);

    /** The log keeps entries longer than the store keeps records. */
    private static final Duration MARGIN = Duration.ofHours(1);

    /** The name of the fleet if the configuration has none. */
    private static final String DEFAULT_FLEET = "quire";

    /** In leases: how long a fetch waits for those of other proxies. */
    private static final int PATIENCE = 2;

    private final SharedParts shared;
    private volatile @Nullable RedisRecords records;
    private volatile @Nullable FleetLog log;
    private volatile @Nullable Replication replication;
    private volatile @Nullable ScheduledFuture<?> watching;
    private volatile NodeBuild build = NodeBuild.UNKNOWN;
    private volatile @Nullable MemcachedStorage memcached;
    private final Class<? extends SocketChannel> transport;

    /**
     * @param transport of the event loops
     */
    SharedStorage(SharedParts shared, Class<? extends SocketChannel> transport) {
        this.shared = shared;
        this.transport = transport;
    }

    /**
     * Begins, if {@code configuration} has a store or a fleet. The invalidations of an earlier
     * process are resumed already.
     *
     * @param loops of the clients, which end after this
     * @param others makes an invalidation of another proxy in this one too
     * @param current returns the parts of the configuration in use
     */
    void open(
            Configuration configuration,
            EventLoopGroup loops,
            Predicate<InvalidationEntry> others,
            Supplier<ProxyParts> current) {
        var store = configuration.shared();
        boolean hasLog = configuration.hasLog();
        if (!hasLog) {
            shared.store().invalidations().notes().end();
        }
        if (!store.isOn() && !hasLog) {
            return;
        }
        if (store.isWithoutLog()) {
            memcached =
                    new MemcachedStorage(
                            configuration,
                            shared,
                            each(loops),
                            transport,
                            terms(configuration),
                            current);
            return;
        }
        var terms = fleetTerms(configuration);
        int replicas = configuration.fleet().replicas();
        var server = new RedisLog(StoreSettings.ofLog(configuration), terms.node(), replicas);
        if (replicas > 0) {
            replication = new Replication(server::copies, replicas);
        }
        build = build(configuration);
        server.register(() -> build);
        var begun =
                new FleetLog(terms, shared.store().invalidations(), others, shared.time(), server);
        log = begun;
        begun.start();
        watch(begun, loops);
        catchUp(begun);
        var tier = shared.tiers().shared();
        tier.behindWhile(() -> !begun.isCurrent());
        tier.validateWhileBehind(validates(configuration));
        if (store.isOn()) {
            var opened =
                    new RedisRecords(StoreSettings.ofRecords(store), each(loops), begun::epoch);
            records = opened;
            tier.use(
                    opened,
                    new Positions(begun, shared.store().invalidations()::newest),
                    terms(configuration));
        }
    }

    /** Logs which other nodes run something else, and whether the store may remove the log. */
    private void watch(FleetLog begun, EventLoopGroup loops) {
        var unlike = new UnlikeNodes();
        var eviction = new LogEviction();
        watching =
                loops.next()
                        .scheduleWithFixedDelay(
                                () ->
                                        begun.overview()
                                                .thenAccept(seen -> {
                                                    unlike.see(seen);
                                                    eviction.see(seen);
                                                }),
                                FIRST_LOOK.toSeconds(),
                                EACH_LOOK.toSeconds(),
                                TimeUnit.SECONDS);
    }

    /**
     * Waits until the store has registered this node, so that other nodes wait for its answers, and
     * until it has read what was made since: that may cover the responses on disk.
     */
    private static void catchUp(FleetLog log) {
        long end = System.nanoTime() + LONGEST_CATCH_UP.toNanos();
        while (!log.isCurrent() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(LOOK.toNanos());
        }
    }

    private static FleetLog.Terms fleetTerms(Configuration configuration) {
        var fleet = configuration.fleet();
        return new FleetLog.Terms(
                name(fleet),
                NodeName.incarnate(fleet.node().orElseGet(SharedStorage::machine)),
                fleet.lease(),
                configuration.shared().maxTtl().plus(MARGIN),
                fleet.journal());
    }

    private static SharedTier.Terms terms(Configuration configuration) {
        var store = configuration.shared();
        return new SharedTier.Terms(
                store.minLifetime(),
                store.maxTtl(),
                store.queue(),
                store.queueBytes(),
                store.lease().multipliedBy(PATIENCE));
    }

    /** Applies the settings that may change while the proxy runs. */
    void limit(Configuration configuration) {
        shared.tiers().shared().limit(terms(configuration));
        shared.tiers().shared().validateWhileBehind(validates(configuration));
        build = build(configuration);
        var plain = memcached;
        if (plain != null) {
            plain.limit(configuration);
        }
    }

    /** Whether hits are validated while the log is away. */
    private static boolean validates(Configuration configuration) {
        return configuration.fleet().partition() == FleetConfig.Partition.REVALIDATE;
    }

    private static NodeBuild build(Configuration configuration) {
        var version = SharedStorage.class.getPackage().getImplementationVersion();
        return new NodeBuild(
                version == null ? "unknown" : version,
                "%016x".formatted(ProxyParts.storedBy(configuration).high()),
                NodeBuild.text(urls(configuration.origins())));
    }

    /** The URLs of each origin. */
    private static Map<String, List<String>> urls(Map<String, OriginSettings> origins) {
        var urls = new HashMap<String, List<String>>();
        origins.forEach((name, origin) ->
                urls.put(
                        name,
                        origin.urls().stream().map(server -> server.url().toString()).toList()));
        return urls;
    }

    /** Whether the calling thread makes entries of the log. */
    boolean isMaking() {
        var joined = log;
        return joined != null && joined.isMaking();
    }

    private static String machine() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "proxy";
        }
    }

    private static List<EventLoop> each(EventLoopGroup loops) {
        var each = new ArrayList<EventLoop>();
        loops.forEach(loop -> each.add((EventLoop) loop));
        return each;
    }

    /** The places of the records in the log of the fleet. */
    private record Positions(FleetLog log, LongSupplier newest) implements SharedPositions {

        @Override
        public boolean isKnown() {
            return log.position(newest.getAsLong()) != null;
        }

        @Override
        public @Nullable RecordPosition position(long tested, long begun) {
            return log.position(tested);
        }

        @Override
        public long of(RecordPosition position) {
            return log.order(position);
        }

        @Override
        public long aheadMillis() {
            return log.wallOffsetMillis();
        }
    }

    /** Shows to operators what is open; once. */
    void showTo(Administration operators, Supplier<Configuration> current) {
        var joined = log;
        if (joined != null) {
            operators.join(
                    () -> fleet(current.get().fleet()), joined, Optional.ofNullable(replication));
        }
        var servers =
                current.get().shared().servers().stream()
                        .map(HostPort::toString)
                        .collect(joining(", "));
        var plain = memcached;
        if (plain != null) {
            operators.showShared(() -> plain.state(servers), plain::count, plain::count);
        }
        var opened = records;
        if (opened != null) {
            operators.showShared(() -> state(servers, opened), opened::count, opened::count);
        }
    }

    private static Membership.Terms fleet(FleetConfig config) {
        var ack =
                switch (config.ack()) {
                    case LOCAL -> Ack.LOCAL;
                    case LOG -> Ack.LOG;
                    case FLEET -> Ack.FLEET;
                };
        return new Membership.Terms(name(config), ack, config.ackTimeout());
    }

    private static String name(FleetConfig config) {
        return config.name().orElse(DEFAULT_FLEET);
    }

    private static StoreState state(String servers, RedisRecords records) {
        var server = records.server();
        return new StoreState(
                servers,
                server.state(),
                server.failure().orElse(null),
                server.connected(),
                server.queue().waiting());
    }

    /** Writes what waits, leaves the fleet, and ends the connections. Blocks for a moment. */
    @Override
    public void close() {
        var ended = watching;
        if (ended != null) {
            ended.cancel(false);
        }
        shared.tiers().shared().end(LONGEST_FLUSH);
        var left = log;
        if (left != null) {
            left.close();
        }
        var opened = records;
        if (opened != null) {
            opened.close();
        }
        var plain = memcached;
        if (plain != null) {
            plain.close();
        }
    }
}
