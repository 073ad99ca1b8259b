package dev.quire.proxy.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/** A cluster: a connection has one to each primary server, and follows the slots. */
final class ClusterConnector extends StoreConnector {
    private static final Duration PERIOD = Duration.ofMinutes(1);

    /** Between two refreshes after faults. */
    private static final Duration LEAST_PERIOD = Duration.ofSeconds(1);

    private static final int REDIRECTS = 3;

    private final RedisClusterClient client;
    private final AtomicLong refreshedAt = new AtomicLong(System.nanoTime());

    ClusterConnector(RedisClusterClient client, ClientOptions options) {
        super(client);
        this.client = client;
        client.setOptions(
                ClusterClientOptions.builder(options)
                        // Else a server that was lost would not be used again.
                        .autoReconnect(true)
                        .maxRedirects(REDIRECTS)
                        .validateClusterNodeMembership(true)
                        .topologyRefreshOptions(
                                ClusterTopologyRefreshOptions.builder()
                                        .enablePeriodicRefresh(PERIOD)
                                        .adaptiveRefreshTriggersTimeout(LEAST_PERIOD)
                                        .refreshTriggersReconnectAttempts(1)
                                        .build())
                        .build());
    }

    @Override
    <K, V> CompletionStage<? extends StatefulConnection<K, V>> connect(RedisCodec<K, V> codec) {
        return begun(() ->
                client.refreshPartitionsAsync()
                        .thenCompose(known -> client.connectAsync(codec))
                        .thenCompose(ClusterConnector::connected));
    }

    /** Calls are refused while the connection to their server is made: so all are made before. */
    private static <K, V> CompletionStage<StatefulRedisClusterConnection<K, V>> connected(
            StatefulRedisClusterConnection<K, V> made) {
        var all =
                made.getPartitions().stream()
                        .filter(ClusterConnector::hasSlots)
                        .map(RedisClusterNode::getUri)
                        .map(uri -> made.getConnectionAsync(uri.getHost(), uri.getPort()))
                        .map(each -> each.handle((connection, fault) -> fault))
                        .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(all).thenApply(done -> made);
    }

    private static boolean hasSlots(RedisClusterNode node) {
        return node.is(RedisClusterNode.NodeFlag.UPSTREAM) && !node.hasNoSlots();
    }

    /** Lettuce does so by itself if a connection is lost, but not if one cannot be made. */
    @Override
    void refresh() {
        long now = System.nanoTime();
        long last = refreshedAt.get();
        if (now - last > LEAST_PERIOD.toNanos() && refreshedAt.compareAndSet(last, now)) {
            begun(client::refreshPartitionsAsync);
        }
    }

    @Override
    <K, V> CompletionStage<? extends StatefulRedisPubSubConnection<K, V>> connectForMessages(
            RedisCodec<K, V> codec) {
        return begun(() ->
                client.refreshPartitionsAsync()
                        .thenCompose(known -> client.connectPubSubAsync(codec)));
    }
}
