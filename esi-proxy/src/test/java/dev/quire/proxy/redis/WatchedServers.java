package dev.quire.proxy.redis;

import dev.quire.proxy.redis.RedisSettings.Server;
import dev.quire.proxy.redis.RedisSettings.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A primary server, its replica, and three sentinels that watch them. */
public final class WatchedServers implements AutoCloseable {
    static final String MASTER = "news";

    private final List<RedisServer> servers;
    private final List<RedisServer> sentinels;

    private WatchedServers(List<RedisServer> servers, List<RedisServer> sentinels) {
        this.servers = servers;
        this.sentinels = sentinels;
    }

    /**
     * Starts all of {@code program}, and waits until the sentinels know each other and the replica.
     *
     * @param folder for the files of the sentinels
     */
    public static WatchedServers start(String program, Path folder) throws IOException {
        var primary = RedisServer.of(program, "--repl-diskless-sync-delay", "0");
        var replica =
                RedisServer.of(
                        program,
                        "--replicaof",
                        "127.0.0.1 " + primary.port(),
                        "--repl-diskless-sync-delay",
                        "0");
        var file =
                """
                sentinel monitor %1$s 127.0.0.1 %2$d 2
                sentinel down-after-milliseconds %1$s 500
                sentinel failover-timeout %1$s 2000
                """
                        .formatted(MASTER, primary.port());
        var sentinels =
                IntStream.range(0, 3)
                        .mapToObj(i -> folder.resolve("sentinel" + i + ".conf"))
                        .toList();
        for (var each : sentinels) {
            Files.writeString(each, file);
        }
        var all =
                new WatchedServers(
                        List.of(primary, replica),
                        sentinels.stream()
                                .map(each -> RedisServer.sentinel(program, each))
                                .toList());
        replica.awaitPrinted("master_link_status:up", "INFO", "replication");
        for (var sentinel : all.sentinels) {
            sentinel.awaitPrinted("num-other-sentinels\n2\n", "SENTINEL", "MASTER", MASTER);
            sentinel.awaitPrinted("num-slaves\n1\n", "SENTINEL", "MASTER", MASTER);
        }
        return all;
    }

    /** The way to them. */
    public RedisSettings settings() {
        return OpenStore.settings(topology(MASTER));
    }

    Topology topology(String master) {
        return new Topology.Sentinel(
                sentinels.stream().map(each -> new Server("127.0.0.1", each.port())).toList(),
                master);
    }

    public RedisServer primary() {
        return servers.get(0);
    }

    public RedisServer replica() {
        return servers.get(1);
    }

    List<RedisServer> sentinels() {
        return sentinels;
    }

    /** Ends the replication: the replica has no writes from then on. */
    public void separate() {
        primary().cli("ACL", "SETUSER", "default", "-psync", "-sync");
        primary().cli("CLIENT", "KILL", "TYPE", "replica");
        replica().awaitPrinted("master_link_status:down", "INFO", "replication");
    }

    @Override
    public void close() {
        Stream.concat(sentinels.stream(), servers.stream()).forEach(RedisServer::close);
    }
}
