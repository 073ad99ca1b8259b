package dev.quire.proxy.redis;

import dev.quire.proxy.redis.RedisSettings.Server;
import dev.quire.proxy.redis.RedisSettings.Topology;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A cluster of three primary servers, or of three with a replica each. */
public final class ClusterServers implements AutoCloseable {
    static final int SLOTS = 16_384;
    private static final int PRIMARIES = 3;

    private final List<RedisServer> servers;

    private ClusterServers(List<RedisServer> servers) {
        this.servers = servers;
    }

    /**
     * Starts all of {@code program}, and waits until each knows all slots.
     *
     * @param folder for the files of the servers
     */
    public static ClusterServers start(String program, Path folder, boolean hasReplicas) {
        var servers = new ArrayList<RedisServer>();
        for (int i = 0; i < (hasReplicas ? 2 * PRIMARIES : PRIMARIES); i++) {
            servers.add(RedisServer.ofCluster(program, folder.resolve("nodes" + i + ".conf")));
        }
        var cluster = new ClusterServers(servers);
        cluster.join();
        return cluster;
    }

    private void join() {
        var first = servers.getFirst();
        int slot = 0;
        for (int i = 0; i < PRIMARIES; i++) {
            int end = SLOTS * (i + 1) / PRIMARIES;
            servers.get(i).cli("CLUSTER", "ADDSLOTSRANGE", slot + "", end - 1 + "");
            servers.get(i).cli("CLUSTER", "SET-CONFIG-EPOCH", i + 1 + "");
            slot = end;
        }
        for (var server : servers.subList(1, servers.size())) {
            server.cli("CLUSTER", "MEET", "127.0.0.1", first.port() + "", first.busPort() + "");
        }
        var size = "cluster_known_nodes:" + servers.size();
        servers.forEach(server -> server.awaitPrinted(size, "CLUSTER", "INFO"));
        for (int i = PRIMARIES; i < servers.size(); i++) {
            servers.get(i)
                    .cli("CLUSTER", "REPLICATE", servers.get(i - PRIMARIES).cli("CLUSTER", "MYID"));
        }
        servers.forEach(server -> server.awaitPrinted("cluster_state:ok", "CLUSTER", "INFO"));
        for (int i = PRIMARIES; i < servers.size(); i++) {
            servers.get(i).awaitPrinted("master_link_status:up", "INFO", "replication");
        }
    }

    /** The way to them, by the last two. */
    public RedisSettings settings() {
        return OpenStore.settings(
                new Topology.Cluster(
                        servers.subList(servers.size() - 2, servers.size()).stream()
                                .map(each -> new Server("127.0.0.1", each.port()))
                                .toList()));
    }

    List<RedisServer> servers() {
        return servers;
    }

    /** The primary server of the slot of {@code key}. */
    public RedisServer primaryOf(String key) {
        var slot = Integer.parseInt(servers.getLast().cli("CLUSTER", "KEYSLOT", key));
        return servers.get(slot * PRIMARIES / SLOTS);
    }

    public RedisServer replicaOf(RedisServer primary) {
        return servers.get(servers.indexOf(primary) + PRIMARIES);
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }
}
