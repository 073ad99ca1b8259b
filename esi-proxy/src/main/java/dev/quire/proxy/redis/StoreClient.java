package dev.quire.proxy.redis;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.Timer;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Lettuce on one event loop. Thread-safe. */
final class StoreClient {

    /** Between attempts to connect to a server of a cluster. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final ClientResources resources;
    private final StoreConnector connector;

    /**
     * @param timer of Lettuce, shared by all loops; owned by the caller
     */
    StoreClient(RedisSettings settings, EventLoop loop, Timer timer) {
        this.resources =
                ClientResources.builder()
                        .eventLoopGroupProvider(new OneLoop(loop))
                        .eventExecutorGroup(loop)
                        .timer(timer)
                        .reconnectDelay(Delay.constant(PAUSE))
                        .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                        .nettyCustomizer(new StorePipeline(settings.records().maxBytes()))
                        .build();
        // StoreConnection connects again.
        this.connector =
                StoreConnector.of(settings.access(), resources, false, settings.limits().queue());
    }

    /** Opens a connection; does not block. */
    CompletionStage<? extends StatefulConnection<byte[], StoredValue>> connect(
            RedisCodec<byte[], StoredValue> codec) {
        return connector.connect(codec);
    }

    /** A call has no connection to its server. */
    void refresh() {
        connector.refresh();
    }

    /** Closes all its connections. */
    CompletionStage<?> close() {
        return connector
                .close()
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
