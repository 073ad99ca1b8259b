package dev.quire.bench.fleet;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.kill.KilledProxy;
import dev.quire.bench.kill.KilledProxy.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Several proxies with one store, before one origin. */
public final class Fleet implements AutoCloseable {
    /**
     * Configuration with less memory than {@link FleetSite} needs, in which the time of stale
     * responses does not depend on the load.
     */
    static final String SMALL_MEMORY =
            "cache: { memory: 1MiB, grace: %ds, stale-if-slow: 0s }\n"
                    .formatted(History.GRACE.toSeconds());

    private final List<KilledProxy> nodes;
    private final @Nullable Store store;
    private final @Nullable Toxiproxy toxiproxy;
    private final Terms terms;

    private Fleet(
            List<KilledProxy> nodes,
            @Nullable Store store,
            @Nullable Toxiproxy toxiproxy,
            Terms terms) {
        this.nodes = List.copyOf(nodes);
        this.terms = terms;
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
     * @param namespace where the store is, instead of {@code toxiproxy}
     * @param validates whether nodes that are cut off validate what they have
     */
    public record Terms(
            int nodes,
            Optional<String> store,
            Optional<Path> toxiproxy,
            boolean hasDisk,
            String yaml,
            Optional<StoreGroup> group,
            Optional<Namespace> namespace,
            boolean validates) {

        public Terms(
                int nodes,
                Optional<String> store,
                Optional<Path> toxiproxy,
                boolean hasDisk,
                String yaml) {
            this(nodes, store, toxiproxy, hasDisk, yaml, Optional.empty(), Optional.empty(), false);
        }

        /** The same with the store {@code group}, if it is one. */
        Terms with(@Nullable StoreGroup group) {
            return group == null
                    ? this
                    : new Terms(
                            nodes,
                            Optional.empty(),
                            Optional.empty(),
                            hasDisk,
                            yaml,
                            Optional.of(group),
                            Optional.empty(),
                            validates);
        }

        /** The same with the store in {@code namespace}, if it is one. */
        Terms in(@Nullable Namespace namespace) {
            return namespace == null
                    ? this
                    : new Terms(
                            nodes,
                            store,
                            Optional.empty(),
                            hasDisk,
                            yaml,
                            Optional.empty(),
                            Optional.of(namespace),
                            validates);
        }

        /** The same with nodes that validate what they have while they are cut off, or not. */
        Terms validating(boolean isWanted) {
            return new Terms(nodes, store, toxiproxy, hasDisk, yaml, group, namespace, isWanted);
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
        var store = terms.store().isEmpty() ? null : startStore(terms, folder);
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
                yaml.append(
                        "shared: { servers: [\"%s\"] }\n"
                                .formatted(addressFor(i, terms, store, toxiproxy)));
            } else if (terms.group().isPresent()) {
                yaml.append("shared: { %s }\n".formatted(terms.group().get().yaml()));
            }
            if (terms.hasLog()) {
                yaml.append(
                        "fleet: { name: test, node: %s, partition: %s }\n"
                                .formatted(name(i), terms.validates() ? "revalidate" : "serve"));
            }
            nodes.add(KilledProxy.of(launch, own, originPort, yaml.toString()));
        }
        for (var node : nodes) {
            node.start();
        }
        return new Fleet(nodes, store, toxiproxy, terms);
    }

    private static Store startStore(Terms terms, Path folder)
            throws CannotMeasure, IOException, InterruptedException {
        var program = terms.store().orElseThrow();
        return terms.namespace().isPresent()
                ? Store.start(program, folder, terms.namespace().get())
                : Store.start(program, folder);
    }

    /** The address at which {@code node} finds the store. */
    private static String addressFor(
            int node, Terms terms, Store store, @Nullable Toxiproxy toxiproxy)
            throws IOException, InterruptedException {
        if (terms.namespace().isPresent()) {
            return terms.namespace().get().address(node) + ":" + store.port();
        }
        return "127.0.0.1:"
                + (toxiproxy == null ? store.port() : toxiproxy.lead(node, store.port()));
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

    /** The promises that only some fleets make, and this one too. */
    Set<Promise> furtherPromises() {
        var further = EnumSet.noneOf(Promise.class);
        if (terms.hasLog() && terms.validates()) {
            further.add(Promise.LEASE);
        }
        if (store == null && terms.group().isEmpty()) {
            further.add(Promise.ORDER);
        }
        return further;
    }

    /** Replaces the primary server of the store; empty without sentinels. */
    Optional<Failover> failover() {
        return terms.group().flatMap(StoreGroup::failover);
    }

    /** The ways from the nodes to the store; empty if they cannot be cut. */
    Optional<Lines> lines() {
        return toxiproxy().<Lines>map(lines -> lines).or(terms::namespace);
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
