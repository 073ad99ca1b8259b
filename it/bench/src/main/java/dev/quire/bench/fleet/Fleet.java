package dev.quire.bench.fleet;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.kill.KilledProxy;
import dev.quire.bench.kill.KilledProxy.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Several proxies with one store, before one origin. */
public final class Fleet implements AutoCloseable {
    /** Configuration with less memory than {@link FleetSite} needs. */
    static final String SMALL_MEMORY = "cache: { memory: 1MiB }\n";

    private final List<KilledProxy> nodes;
    private final @Nullable Store store;
    private final @Nullable Toxiproxy toxiproxy;
    private final Optional<Failover> failover;

    private Fleet(
            List<KilledProxy> nodes,
            @Nullable Store store,
            @Nullable Toxiproxy toxiproxy,
            Optional<Failover> failover) {
        this.nodes = List.copyOf(nodes);
        this.failover = failover;
        this.store = store;
        this.toxiproxy = toxiproxy;
    }

    /**
     * The parts of a fleet.
     *
     * @param store the program, such as {@code redis-server}; empty for nodes that share nothing
     * @param toxiproxy the program between the nodes and the store
     * @param hasDisk whether each node has a disk tier
     * @param yaml more configuration of each node
     * @param group servers of a store that runs already, instead of {@code store}
     */
    public record Terms(
            int nodes,
            Optional<String> store,
            Optional<Path> toxiproxy,
            boolean hasDisk,
            String yaml,
            Optional<StoreGroup> group) {

        public Terms(
                int nodes,
                Optional<String> store,
                Optional<Path> toxiproxy,
                boolean hasDisk,
                String yaml) {
            this(nodes, store, toxiproxy, hasDisk, yaml, Optional.empty());
        }

        /** Whether the nodes have a log in common. */
        boolean hasLog() {
            return store.isPresent() || group.filter(StoreGroup::hasLog).isPresent();
        }
    }

    /** Starts all, and waits until they are ready. */
    public static Fleet start(Terms terms, Launch launch, Path folder, int originPort)
            throws CannotMeasure, IOException, InterruptedException {
        var nodes = new ArrayList<KilledProxy>();
        var store = terms.store().isEmpty() ? null : Store.start(terms.store().get(), folder);
        var toxiproxy =
                store == null || terms.toxiproxy().isEmpty()
                        ? null
                        : Toxiproxy.start(terms.toxiproxy().get(), folder);
        for (int i = 0; i < terms.nodes(); i++) {
            var own = Files.createDirectories(folder.resolve(name(i)));
            var yaml = new StringBuilder(terms.yaml());
            if (terms.hasDisk()) {
                yaml.append(
                        "disk: { path: \"%s\", size: 128MiB }\n".formatted(own.resolve("disk")));
            }
            if (store != null) {
                int port = toxiproxy == null ? store.port() : toxiproxy.lead(name(i), store.port());
                yaml.append("shared: { servers: [\"127.0.0.1:%d\"] }\n".formatted(port));
            } else if (terms.group().isPresent()) {
                yaml.append("shared: { %s }\n".formatted(terms.group().get().yaml()));
            }
            if (terms.hasLog()) {
                yaml.append("fleet: { name: test, node: %s }\n".formatted(name(i)));
            }
            nodes.add(KilledProxy.of(launch, own, originPort, yaml.toString()));
        }
        for (var node : nodes) {
            node.start();
        }
        return new Fleet(nodes, store, toxiproxy, terms.group().flatMap(StoreGroup::failover));
    }

    /** The name of a node, by its number from 0. */
    public static String name(int node) {
        return "n" + (node + 1);
    }

    public int size() {
        return nodes.size();
    }

    public KilledProxy node(int number) {
        return nodes.get(number);
    }

    /** The store; empty if it is a {@link StoreGroup}, or the nodes share nothing. */
    public Optional<Store> store() {
        return Optional.ofNullable(store);
    }

    /** Replaces the primary server of the store; empty without sentinels. */
    Optional<Failover> failover() {
        return failover;
    }

    /** Empty if nothing is between the nodes and the store. */
    Optional<Toxiproxy> toxiproxy() {
        return Optional.ofNullable(toxiproxy);
    }

    @Override
    public void close() {
        nodes.forEach(KilledProxy::close);
        if (toxiproxy != null) {
            toxiproxy.close();
        }
        if (store != null) {
            store.close();
        }
    }
}
