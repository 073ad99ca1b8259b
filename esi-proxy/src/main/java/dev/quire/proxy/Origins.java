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

    /** The fetchers of one configuration generation. */
    final class Fetchers {
        private final Map<String, Fetcher> byName = new LinkedHashMap<>();

        private Fetchers(Map<String, OriginSettings> origins) {
            origins.forEach((name, origin) ->
                    byName.put(
                            name,
                            new Fetcher(
                                    origin,
                                    transport.clientChannel(),
                                    transport.datagramChannel(),
                                    transit,
                                    metrics.origin(name))));
        }

        Fetcher named(String name) {
            var fetcher = byName.get(name);
            if (fetcher == null) {
                throw new IllegalStateException("no origin is named " + name);
            }
            return fetcher;
        }

        List<ServerHealth> servers() {
            var servers = new ArrayList<ServerHealth>();
            byName.forEach((name, fetcher) -> {
                var states = fetcher.servers();
                var first = fetcher.firstChecks();
                for (int i = 0; i < states.size(); i++) {
                    servers.add(
                            new ServerHealth(name, states.get(i).url().toString(), first.get(i)));
                }
            });
            return servers;
        }

        /** Starts the health checks; called once. */
        void check(EventLoopGroup loops) {
            byName.values().forEach(fetcher -> fetcher.check(loops.next()));
        }

        /** Closes the fetchers as {@link Fetcher#close} does. */
        void close() {
            byName.values().forEach(Fetcher::close);
            if (this != current()) {
                inUse.remove(this);
                show();
            }
        }
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
        made.byName.values().forEach(Fetcher::close);
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
                .forEach((name, fetcher) ->
                        stats.put(
                                name,
                                new Stats.Origin(
                                        sum(name, Fetcher::openConnections),
                                        sum(name, Fetcher::idleConnections),
                                        sum(name, Fetcher::queued),
                                        fetcher.servers().stream().map(Origins::server).toList())));
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
        current().byName.forEach((name, fetcher) -> addServers(name, fetcher, servers));
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
        long sum = 0;
        for (var fetchers : inUse) {
            var fetcher = fetchers.byName.get(name);
            sum += fetcher == null ? 0 : number.applyAsInt(fetcher);
        }
        return sum;
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
                state.queued());
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
