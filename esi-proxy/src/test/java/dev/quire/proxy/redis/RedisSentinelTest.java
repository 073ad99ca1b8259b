package dev.quire.proxy.redis;

import static dev.quire.proxy.redis.OpenStore.PLACE;
import static dev.quire.proxy.redis.OpenStore.bytes;
import static dev.quire.proxy.redis.OpenStore.record;
import static dev.quire.proxy.redis.OpenStore.settings;
import static dev.quire.proxy.redis.OpenStore.version;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.SharedRecords.Absent;
import dev.quire.proxy.cache.SharedRecords.None;
import dev.quire.proxy.cache.TierWrite;
import dev.quire.proxy.redis.RedisSettings.Server;
import dev.quire.proxy.redis.RedisSettings.Topology.Sentinel;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store whose primary server the sentinels know. */
class RedisSentinelTest {

    @Test
    void theNewPrimaryServerIsUsedAfterTheFormerOneIsKilled(@TempDir Path folder) throws Exception {
        try (var servers = WatchedServers.start("redis-server", folder);
                var store = OpenStore.open(servers.settings())) {
            store.awaitConnections(2);
            var record = record(version(1, 1), "page");
            assertThat(store.lease(PLACE, null)).isEqualTo(new Absent());
            store.put(PLACE, version(1, 1), record);
            servers.replica().awaitCopyOf(servers.primary());

            servers.primary().kill();
            servers.sentinels().getFirst().close();
            store.await(() -> !store.records.isUsable());
            assertThat(store.get(PLACE)).isInstanceOf(None.class);

            store.awaitConnections(2);
            assertThat(bytes(store.get(PLACE))).isEqualTo(record);
            store.put(PLACE, version(1, 2), record(version(1, 2), "next"));
            assertThat(servers.replica().cli("GETRANGE", OpenStore.KEY, "64", "-1"))
                    .isEqualTo("next");
            assertThat(store.records.server().failure()).isEmpty();
        }
    }

    /** Sentinels that are wrong for a moment, or an address that is not of the primary server. */
    @Test
    void aReplicaIsLeft() {
        try (var other = RedisServer.redis();
                var server = RedisServer.redis();
                var store = OpenStore.of(server)) {
            assertThat(store.lease(PLACE, null)).isEqualTo(new Absent());
            server.cli("REPLICAOF", "127.0.0.1", other.port() + "");
            server.awaitPrinted("master_link_status:up", "INFO", "replication");

            var record = record(version(1, 1), "page");
            store.await(() -> {
                store.put(PLACE, version(1, 1), record);
                return store.records.server().connected() < 2;
            });
            assertThat(store.records.server().failure().orElseThrow())
                    .startsWith("the server is a replica: READONLY ")
                    .endsWith("(expected the primary server)");
            store.awaitConnections(2);
            assertThat(store.records.server().failure()).describedAs("without a write").isPresent();

            server.cli("REPLICAOF", "NO", "ONE");
            store.await(() -> {
                store.put(PLACE, version(1, 1), record);
                return store.records.count(TierWrite.STORED) > 0;
            });
        }
    }

    @Test
    void wrongSettingsAreNamed(@TempDir Path folder) throws Exception {
        try (var servers = WatchedServers.start("redis-server", folder)) {
            var sentinel = servers.sentinels().getFirst();
            var primary = List.of(new Server("127.0.0.1", servers.primary().port()));
            assertThat(failure(settings(servers.topology("sport"))))
                    .startsWith(
                            "the sentinels know no primary server by the name of shared.master: ")
                    .contains("sport");
            assertThat(failure(settings(new Sentinel(primary, "news"))))
                    .startsWith("the server is not a sentinel: ERR unknown command 'SENTINEL'")
                    .endsWith("(expected sentinels, or shared.mode: standalone or cluster)");
            try (var store = OpenStore.open(settings(sentinel.port()))) {
                store.awaitConnections(2);
                assertThat(store.get(PLACE)).isInstanceOf(None.class);
                assertThat(store.records.server().failure().orElseThrow())
                        .startsWith("the server lacks a command: ERR unknown command 'GETRANGE'")
                        .endsWith(
                                "(expected Redis 7 or Valkey 8; for sentinels, shared.mode:"
                                        + " sentinel)");
            }
            var settings = servers.settings();
            servers.sentinels().forEach(RedisServer::close);
            assertThat(failure(settings))
                    .startsWith("no connection to the store: connection refused")
                    .endsWith("(expected a server at the addresses of shared.servers)");
        }
    }

    private static String failure(RedisSettings settings) {
        try (var store = OpenStore.open(settings)) {
            store.await(() -> store.records.server().failure().isPresent());
            assertThat(store.records.isUsable()).isFalse();
            assertThat(store.get(PLACE)).isInstanceOf(None.class);
            return store.records.server().failure().orElseThrow();
        }
    }
}
