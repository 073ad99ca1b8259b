package dev.quire.bench.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import dev.quire.bench.CannotMeasure;
import dev.quire.bench.Running;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Several servers of one store: with sentinels, a cluster, or memcached. Their files are in one
 * folder.
 */
public final class StoreGroup implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String CLUSTER_TIMEOUT_MILLIS = "2000";
    private static final String MEMCACHED = "memcached";
    private static final int MEMCACHED_SERVERS = 2;

    private final String program;
    private final Path folder;
    private final List<Runnable> closing = new ArrayList<>();
    private @Nullable Failover failover;
    private String yaml = "";
    private String description = "";

    private StoreGroup(String program, Path folder) {
        this.program = program;
        this.folder = folder;
    }

    /** Starts a primary server, its replica, and three sentinels. */
    static StoreGroup sentinels(String program, Path folder)
            throws CannotMeasure, IOException, InterruptedException {
        var group = new StoreGroup(program, folder);
        try {
            group.startSentinels();
            return group;
        } catch (CannotMeasure | IOException | InterruptedException failed) {
            group.close();
            throw failed;
        }
    }

    private void startSentinels() throws CannotMeasure, IOException, InterruptedException {
        var primary = start("primary", List.of(), Failover.OPTIONS);
        var options = new ArrayList<>(Failover.OPTIONS);
        options.addAll(List.of("--replicaof", "127.0.0.1 " + primary.port()));
        var replica = start("replica", List.of(), options);
        // Sentinels that find no replica look again after ten seconds.
        Failover.awaitLink(replica);
        var sentinels = new ArrayList<Store>();
        for (int i = 1; i <= 3; i++) {
            var file = folder.resolve("sentinel" + i + ".conf");
            Files.writeString(file, Failover.configuration(primary));
            sentinels.add(start("sentinel" + i, List.of(file.toString()), List.of("--sentinel")));
        }
        var ports = sentinels.stream().map(Store::port).toList();
        failover = new Failover(primary, replica, sentinels);
        yaml = "mode: sentinel, master: %s, servers: %s".formatted(Failover.NAME, addresses(ports));
        description =
                "primary %d, replica %d, sentinels %s"
                        .formatted(primary.port(), replica.port(), ports);
    }

    /** Starts a cluster of three primary servers with a replica each. */
    static StoreGroup cluster(String program, Path folder)
            throws CannotMeasure, IOException, InterruptedException {
        var group = new StoreGroup(program, folder);
        try {
            group.startCluster();
            return group;
        } catch (CannotMeasure | IOException | InterruptedException failed) {
            group.close();
            throw failed;
        }
    }

    private void startCluster() throws CannotMeasure, IOException, InterruptedException {
        var ports = new ArrayList<Integer>();
        var command = new ArrayList<>(List.of("redis-cli", "--cluster", "create"));
        for (int i = 1; i <= 6; i++) {
            int busPort = FreePort.next();
            var options =
                    List.of(
                            "--cluster-enabled",
                            "yes",
                            "--cluster-config-file",
                            folder.resolve("nodes" + i + ".conf").toString(),
                            "--cluster-port",
                            Integer.toString(busPort),
                            "--cluster-node-timeout",
                            CLUSTER_TIMEOUT_MILLIS);
            int port = start("server" + i, List.of(), options).port();
            ports.add(port);
            command.add("127.0.0.1:" + port + "@" + busPort);
        }
        command.addAll(List.of("--cluster-replicas", "1", "--cluster-yes"));
        var joining = new ProcessBuilder(command).redirectErrorStream(true).start();
        var printed = new String(joining.getInputStream().readAllBytes(), UTF_8);
        if (joining.waitFor() != 0) {
            throw new CannotMeasure("the cluster cannot be created: " + printed);
        }
        yaml = "mode: cluster, servers: " + addresses(ports);
        description = "cluster of " + ports;
    }

    /** Starts memcached servers, of which each has a part of the responses. */
    static StoreGroup memcached(Path folder)
            throws CannotMeasure, IOException, InterruptedException {
        var group = new StoreGroup(MEMCACHED, folder);
        try {
            group.startMemcached();
            return group;
        } catch (CannotMeasure | IOException | InterruptedException failed) {
            group.close();
            throw failed;
        }
    }

    private void startMemcached() throws CannotMeasure, IOException, InterruptedException {
        var ports = new ArrayList<Integer>();
        for (int i = 1; i <= MEMCACHED_SERVERS; i++) {
            int port = FreePort.next();
            var command =
                    new ArrayList<>(
                            List.of(program, "-l", "127.0.0.1", "-p", port + "", "-U", "0"));
            if (System.getProperty("user.name", "").equals("root")) {
                command.addAll(List.of("-u", "root"));
            }
            runMemcached(MEMCACHED + i, port, command);
            ports.add(port);
        }
        yaml = "type: memcached, servers: " + addresses(ports);
        description = "memcached at " + ports;
    }

    private void runMemcached(String name, int port, List<String> command)
            throws CannotMeasure, InterruptedException {
        try {
            var running = Running.start(command, Map.of(), folder.resolve(name + ".log"));
            closing.add(running::close);
            running.awaitPort(program, port, PATIENCE);
        } catch (IOException e) {
            throw new CannotMeasure(program + " cannot be started: " + e.getMessage());
        }
    }

    private Store start(String name, List<String> first, List<String> options)
            throws CannotMeasure, InterruptedException {
        var store = Store.start(program, folder, name, first, options);
        closing.add(store::close);
        return store;
    }

    private static String addresses(List<Integer> ports) {
        return ports.stream()
                .map(port -> "\"127.0.0.1:" + port + "\"")
                .collect(joining(", ", "[", "]"));
    }

    /** The keys of the section {@code shared}. */
    String yaml() {
        return yaml;
    }

    /** Whether it has the log of a fleet. */
    boolean hasLog() {
        return !program.equals(MEMCACHED);
    }

    /** Replaces its primary server; empty without sentinels. */
    Optional<Failover> failover() {
        return Optional.ofNullable(failover);
    }

    /** The servers and their ports. */
    String description() {
        return description;
    }

    @Override
    public void close() {
        closing.forEach(Runnable::run);
    }
}
