package dev.quire.proxy.redis;

import dev.quire.proxy.redis.RedisSettings.Access;
import dev.quire.proxy.redis.RedisSettings.Server;
import dev.quire.proxy.redis.RedisSettings.Topology.Cluster;
import dev.quire.proxy.redis.RedisSettings.Topology.Sentinel;
import dev.quire.proxy.redis.RedisSettings.Topology.Standalone;
import dev.quire.proxy.tls.ClientTls;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.netty.channel.epoll.Epoll;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Opens connections to the store, by its topology. Thread-safe. */
abstract sealed class StoreConnector permits ServerConnector, ClusterConnector {
    private static final Duration CONNECT = Duration.ofSeconds(1);

    /** A connection whose other end is gone is closed after that time. */
    private static final Duration UNACKNOWLEDGED = Duration.ofSeconds(5);

    /** On one connection, at least. Lettuce refuses more. */
    private static final int REQUESTS = 1_000;

    private final AbstractRedisClient client;

    StoreConnector(AbstractRedisClient client) {
        this.client = client;
    }

    /**
     * @param resources owned by the caller
     * @param reconnects whether connections that are lost are made again
     * @param requests that may wait on one connection
     */
    static StoreConnector of(
            Access access, ClientResources resources, boolean reconnects, int requests) {
        var options = options(access, reconnects, Math.max(REQUESTS, requests));
        return switch (access.topology()) {
            case Standalone(var server) ->
                    new ServerConnector(
                            RedisClient.create(resources),
                            options,
                            withLogin(uri(server, access), access.login()));
            case Sentinel(var sentinels, var master) -> {
                var uri = RedisURI.builder().withSentinelMasterId(master);
                for (var sentinel : sentinels) {
                    uri.withSentinel(uri(sentinel, access).build());
                }
                yield new ServerConnector(
                        RedisClient.create(resources),
                        options,
                        withLogin(terms(uri, access), access.login()));
            }
            case Cluster(var servers) ->
                    new ClusterConnector(
                            RedisClusterClient.create(
                                    resources,
                                    servers.stream()
                                            .map(server -> uri(server, access))
                                            .map(uri -> withLogin(uri, access.login()))
                                            .toList()),
                            options);
        };
    }

    private static ClientOptions options(Access access, boolean reconnects, int requests) {
        var options =
                ClientOptions.builder()
                        .protocolVersion(ProtocolVersion.RESP3)
                        .autoReconnect(reconnects)
                        // So no command is sent twice.
                        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                        .requestQueueSize(requests)
                        .maintNotificationsConfig(MaintNotificationsConfig.disabled())
                        .timeoutOptions(TimeoutOptions.create())
                        .socketOptions(sockets());
        access.tls()
                .ifPresent(terms ->
                        options.sslOptions(
                                SslOptions.builder()
                                        .sslContext(builder -> ClientTls.configure(terms, builder))
                                        .handshakeTimeout(CONNECT)
                                        .build()));
        return options.build();
    }

    private static SocketOptions sockets() {
        return SocketOptions.builder()
                .connectTimeout(CONNECT)
                .tcpNoDelay(true)
                .keepAlive(
                        SocketOptions.KeepAliveOptions.builder()
                                .enable()
                                .idle(UNACKNOWLEDGED)
                                .interval(Duration.ofSeconds(1))
                                .count(3)
                                .build())
                .tcpUserTimeout(
                        SocketOptions.TcpUserTimeoutOptions.builder()
                                .enable(Epoll.isAvailable())
                                .tcpUserTimeout(UNACKNOWLEDGED)
                                .build())
                .build();
    }

    private static RedisURI.Builder uri(Server server, Access access) {
        return terms(RedisURI.builder().withHost(server.host()).withPort(server.port()), access);
    }

    private static RedisURI.Builder terms(RedisURI.Builder uri, Access access) {
        return uri.withTimeout(CONNECT)
                .withSsl(access.tls().isPresent())
                // Else newer servers are told them by a command.
                .withLibraryName("")
                .withLibraryVersion("")
                // ClientTls checks the names.
                .withVerifyPeer(SslVerifyMode.CA);
    }

    private static RedisURI withLogin(RedisURI.Builder uri, RedisSettings.Login login) {
        login.password()
                .ifPresent(password -> {
                    if (login.user().isPresent()) {
                        uri.withAuthentication(login.user().get(), password.toCharArray());
                    } else {
                        uri.withPassword(password.toCharArray());
                    }
                });
        return uri.build();
    }

    /** Opens a connection; does not block. */
    abstract <K, V> CompletionStage<? extends StatefulConnection<K, V>> connect(
            RedisCodec<K, V> codec);

    /** Opens a connection for messages; does not block. */
    abstract <K, V>
            CompletionStage<? extends StatefulRedisPubSubConnection<K, V>> connectForMessages(
                    RedisCodec<K, V> codec);

    /** A call has no connection to its server: another one may have its slots. */
    void refresh() {}

    /** Returns the commands of {@code connection}, which {@link #connect} has made. */
    static <K, V> RedisClusterAsyncCommands<K, V> commands(StatefulConnection<K, V> connection) {
        return switch (connection) {
            case StatefulRedisClusterConnection<K, V> all -> all.async();
            case StatefulRedisConnection<K, V> one -> one.async();
            default -> throw new IllegalArgumentException("connection of another client");
        };
    }

    /**
     * Returns the part of {@code connection}, which {@link #connect} has made, to the server that
     * has {@code key}.
     */
    static <K, V> CompletionStage<StatefulRedisConnection<K, V>> ofKey(
            StatefulConnection<K, V> connection, K key, RedisCodec<K, V> codec) {
        return switch (connection) {
            case StatefulRedisClusterConnection<K, V> all -> {
                int slot = SlotHash.getSlot(codec.encodeKey(key));
                var node = all.getPartitions().getPartitionBySlot(slot);
                yield node == null
                        ? CompletableFuture.failedStage(
                                new RedisException("no server has slot " + slot))
                        : all.getConnectionAsync(node.getUri().getHost(), node.getUri().getPort());
            }
            case StatefulRedisConnection<K, V> one -> CompletableFuture.completedStage(one);
            default -> throw new IllegalArgumentException("connection of another client");
        };
    }

    /** Returns the outcome of {@code connecting}, which a client may refuse by an exception. */
    static <C> CompletionStage<C> begun(Supplier<? extends CompletionStage<C>> connecting) {
        try {
            return connecting.get();
        } catch (RuntimeException | Error refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /** Closes all connections. */
    CompletionStage<?> close() {
        return client.shutdownAsync(0, 1, TimeUnit.SECONDS);
    }
}
