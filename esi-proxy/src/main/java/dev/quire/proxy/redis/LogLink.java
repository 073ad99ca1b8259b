package dev.quire.proxy.redis;

import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection to the log of a fleet. If it cannot be made, another attempt follows; one that is
 * lost connects again itself. Thread-safe.
 */
final class LogLink<C extends StatefulConnection<String, byte[]>> implements AutoCloseable {
    static final Duration RETRY = Duration.ofSeconds(1);

    private final Supplier<? extends CompletionStage<? extends C>> connecting;
    private final Consumer<C> then;
    private final AtomicReference<@Nullable C> present = new AtomicReference<>();

    /** Why it could not be made at the last attempt; null if it is made. */
    private volatile @Nullable Throwable failure;

    private volatile boolean isClosed;

    /**
     * @param then receives a connection that is made
     */
    LogLink(Supplier<? extends CompletionStage<? extends C>> connecting, Consumer<C> then) {
        this.connecting = connecting;
        this.then = then;
    }

    /** The connection; null if it is not made now. */
    @Nullable C present() {
        return present.get();
    }

    @Nullable Throwable failure() {
        return failure;
    }

    /** Begins to connect. */
    void connect() {
        connecting
                .get()
                .whenComplete((made, fault) -> {
                    failure = fault;
                    if (made == null) {
                        connectLater();
                    } else if (isClosed) {
                        made.closeAsync();
                    } else {
                        present.set(made);
                        then.accept(made);
                    }
                });
    }

    private void connectLater() {
        if (!isClosed) {
            CompletableFuture.delayedExecutor(RETRY.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(() -> {
                        if (!isClosed) {
                            connect();
                        }
                    });
        }
    }

    /** Closes the connection, and makes another. */
    void renew() {
        var left = present.getAndSet(null);
        if (left != null) {
            left.closeAsync();
            connectLater();
        }
    }

    /** Makes no more connections. The client closes the present one. */
    @Override
    public void close() {
        isClosed = true;
    }
}
