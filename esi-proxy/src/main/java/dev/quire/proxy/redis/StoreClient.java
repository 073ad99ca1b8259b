package dev.quire.proxy.redis;

import dev.quire.proxy.redis.RedisSettings.Access;
import dev.quire.proxy.redis.RedisSettings.Topology.Standalone;
import dev.quire.proxy.tls.ClientTls;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.util.Timer;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Lettuce on one event loop. Thread-safe. */
final class StoreClient {
    private static final Duration CONNECT = Duration.ofSeconds(1);

    /** A connection whose other end is gone is closed after that time. */
    private static final Duration UNACKNOWLEDGED = Duration.ofSeconds(5);

    private static final int REQUESTS = 1_000;

    private final ClientResources resources;
    private final RedisClient client;
    private final RedisURI server;

    /**
     * @param timer of Lettuce, shared by all loops; owned by the caller
     */
    StoreClient(RedisSettings settings, EventLoop loop, Timer timer) {
        this.resources =
                ClientResources.builder()
                        .eventLoopGroupProvider(new OneLoop(loop))
                        .eventExecutorGroup(loop)
                        .timer(timer)
                        .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                        .nettyCustomizer(new StorePipeline(settings.records().maxBytes()))
                        .build();
        this.client = RedisClient.create(resources);
        client.setOptions(options(settings.access()));
        this.server = server(settings.access());
    }

    static ClientOptions options(Access access) {
        var options =
                ClientOptions.builder()
                        .protocolVersion(ProtocolVersion.RESP3)
                        // StoreConnection connects again. No command is sent twice.
                        .autoReconnect(false)
                        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                        .requestQueueSize(REQUESTS)
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

    static RedisURI server(Access access) {
        var login = access.login();
        var server =
                switch (access.topology()) {
                    case Standalone(var one) -> RedisURI.Builder.redis(one.host(), one.port());
                };
        server.withTimeout(CONNECT)
                .withSsl(access.tls().isPresent())
                // ClientTls checks the names.
                .withVerifyPeer(SslVerifyMode.CA);
        login.password()
                .ifPresent(password -> {
                    if (login.user().isPresent()) {
                        server.withAuthentication(login.user().get(), password.toCharArray());
                    } else {
                        server.withPassword(password.toCharArray());
                    }
                });
        return server.build();
    }

    /** Opens a connection; does not block. */
    CompletionStage<? extends StatefulConnection<byte[], StoredValue>> connect(
            RedisCodec<byte[], StoredValue> codec) {
        try {
            return client.connectAsync(codec, server);
        } catch (RuntimeException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /** Closes all its connections. */
    CompletionStage<?> close() {
        return client.shutdownAsync(0, 1, TimeUnit.SECONDS)
                .whenComplete((closed, fault) -> resources.shutdown(0, 1, TimeUnit.SECONDS));
    }

    /** Lets Lettuce use one loop, which it does not own. */
    private record OneLoop(EventLoop loop) implements EventLoopGroupProvider {

        @Override
        @SuppressWarnings("unchecked") // Lettuce names a class that every loop has.
        public <T extends EventLoopGroup> T allocate(Class<T> type) {
            return (T) loop;
        }

        @Override
        public int threadPoolSize() {
            return 1;
        }

        @Override
        public Future<Boolean> release(
                EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
            return ImmediateEventExecutor.INSTANCE.newSucceededFuture(true);
        }

        @Override
        public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
            return ImmediateEventExecutor.INSTANCE.newSucceededFuture(true);
        }
    }
}
