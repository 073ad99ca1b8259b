package dev.quire.proxy;

import dev.quire.proxy.admin.Stats;
import dev.quire.proxy.cli.ServerHealth;
import dev.quire.proxy.exchange.TransitBudget;
import dev.quire.proxy.fetch.Fetcher;
import dev.quire.proxy.fetch.ServerState;
import dev.quire.proxy.listen.Transport;
import dev.quire.proxy.metrics.Metrics;
import dev.quire.proxy.route.OriginSettings;
import io.netty.channel.EventLoopGroup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/** The fetchers of all configuration generations in use. Thread-safe. */
final class Origins {
    private final Transport transport;
    private final Metrics metrics;
    private final TransitBudget transit;

    /** Newest last; never empty after the first generation. */
    private final List<Fetchers> inUse = new CopyOnWriteArrayList<>();

    Origins(Transport transport, Metrics metrics, TransitBudget transit) {
        this.transport = transport;
        this.metrics = metrics;
        this.transit = transit;
    }

    /** A fetcher, with the generations that use it. */
    private static final class Pooled {
        final OriginSettings settings;
        final Fetcher fetcher;
        private int users = 1;
        private boolean isChecked;

        Pooled(OriginSettings settings, Fetcher fetcher) {
            this.settings = settings;
            this.fetcher = fetcher;
        }

        synchronized boolean tryUse() {
            if (users > 0) {
                users++;
                return true;
            }
            return false;
        }

        void leave() {
            synchronized (this) {
                users--;
                if (users > 0) {
                    return;
                }
            }
            fetcher.close();
        }

        void check(EventLoopGroup loops) {
            if (!isChecked) {
                isChecked = true;
                fetcher.check(loops.next());
            }
        }
    }

    /** The fetchers of one configuration generation. */
    final class Fetchers {
        private final Map<String, Pooled> byName = new LinkedHashMap<>();

        private Fetchers(Map<String, OriginSettings> origins) {
            origins.forEach((name, origin) -> byName.put(name, pooled(name, origin)));
        }

        Fetcher named(String name) {
            var pooled = byName.get(name);
            if (pooled == null) {
                throw new IllegalStateException("no origin is named " + name);
            }
            return pooled.fetcher;
        }

        List<ServerHealth> servers() {
            var servers = new ArrayList<ServerHealth>();
            byName.forEach((name, pooled) -> {
                var states = pooled.fetcher.servers();
                var first = pooled.fetcher.firstChecks();
                for (int i = 0; i < states.size(); i++) {
                    servers.add(
                            new ServerHealth(name, states.get(i).url().toString(), first.get(i)));
                }
            });
            return servers;
        }

        /** Starts the health checks of new fetchers. Called by one thread at a time. */
        void check(EventLoopGroup loops) {
            byName.values().forEach(pooled -> pooled.check(loops));
        }

        /** Closes the fetchers that no other generation uses, as {@link Fetcher#close} does. */
        void close() {
            byName.values().forEach(Pooled::leave);
            if (this != current()) {
                inUse.remove(this);
                show();
            }
        }
    }

    /**
     * Returns the fetcher for {@code origin}: the one of an earlier generation if the settings are
     * the same, with its connections and the health of its servers.
     */
    private Pooled pooled(String name, OriginSettings origin) {
        for (var earlier : inUse.reversed()) {
            var same = earlier.byName.get(name);
            if (same != null && same.settings.equals(origin) && same.tryUse()) {
                return same;
            }
        }
        return new Pooled(
                origin,
                new Fetcher(
                        origin,
                        new Fetcher.ChannelKinds(
                                transport.clientChannel(),
                                transport.unixChannel(),
                                transport.datagramChannel()),
                        transit,
                        metrics.origin(name)));
    }

    /** Creates fetchers for {@code origins} and shows them in metrics and stats. */
    Fetchers of(Map<String, OriginSettings> origins) {
        var made = new Fetchers(origins);
        inUse.add(made);
        show();
        return made;
    }

    /** Closes {@code made}, which was never used. */
    void drop(Fetchers made) {
        inUse.remove(made);
        made.byName.values().forEach(Pooled::leave);
        if (!inUse.isEmpty()) {
            show();
        }
    }

    /** The newest fetchers. */
    Fetchers current() {
        return inUse.getLast();
    }

    Map<String, Stats.Origin> stats() {
        var stats = new LinkedHashMap<String, Stats.Origin>();
        current()
                .byName
                .forEach((name, pooled) ->
                        stats.put(
                                name,
                                new Stats.Origin(
                                        sum(name, Fetcher::openConnections),
                                        sum(name, Fetcher::idleConnections),
                                        sum(name, Fetcher::queued),
                                        pooled.settings.tls().isVerified(),
                                        pooled.fetcher.servers().stream()
                                                .map(Origins::server)
                                                .toList())));
        return stats;
    }

    /** Shows connections of all generations, and the server states of the newest. */
    private synchronized void show() {
        var open = new LinkedHashMap<String, LongSupplier>();
        for (var fetchers : inUse) {
            for (var name : fetchers.byName.keySet()) {
                open.put(name, () -> sum(name, Fetcher::openConnections));
            }
        }
        var servers = new ArrayList<Metrics.ShownServer>();
        current().byName.forEach((name, pooled) -> addServers(name, pooled.fetcher, servers));
        metrics.showOrigins(open, servers);
    }

    private static void addServers(
            String name, Fetcher fetcher, List<Metrics.ShownServer> servers) {
        var states = fetcher.servers();
        for (int i = 0; i < states.size(); i++) {
            int at = i;
            servers.add(
                    new Metrics.ShownServer(
                            name,
                            states.get(i).url().toString(),
                            () -> number(fetcher.servers().get(at).circuit()),
                            () ->
                                    fetcher.servers().get(at).health() == ServerState.Health.DOWN
                                            ? 0
                                            : 1));
        }
    }

    private long sum(String name, ToIntFunction<Fetcher> number) {
        return inUse.stream()
                .flatMap(fetchers -> Stream.ofNullable(fetchers.byName.get(name)))
                .distinct()
                .mapToInt(pooled -> number.applyAsInt(pooled.fetcher))
                .sum();
    }

    private static long number(ServerState.Circuit circuit) {
        return switch (circuit) {
            case CLOSED -> 0;
            case HALF_OPEN -> 1;
            case OPEN -> 2;
        };
    }

    private static Stats.Server server(ServerState state) {
        return new Stats.Server(
                state.url().toString(),
                label(state.circuit()),
                label(state.health()),
                state.requests(),
                state.connections(),
                state.idle(),
                state.queued(),
                state.tlsFault());
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
