package dev.quire.bench.fleet;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** Connections that receive the messages of a fleet's log, as further nodes would. */
final class Subscribers implements AutoCloseable {
    private static final String CHANNEL = "q1:{log}";
    private static final int THREADS = 2;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ClientResources resources =
            ClientResources.builder()
                    .ioThreadPoolSize(THREADS)
                    .computationThreadPoolSize(THREADS)
                    .build();
    private final RedisClient client;
    private final int count;

    /** The receipts of the message of an entry, by its id. */
    private final Map<String, Receipts> byId = new ConcurrentHashMap<>();

    /** Of one message. */
    private static final class Receipts {
        private final AtomicInteger count = new AtomicInteger();
        private final CompletableFuture<Long> last = new CompletableFuture<>();
    }

    private Subscribers(int port, int count) {
        this.client =
                RedisClient.create(
                        resources,
                        RedisURI.builder()
                                .withHost("127.0.0.1")
                                .withPort(port)
                                .withTimeout(PATIENCE)
                                .build());
        this.count = count;
    }

    /** Subscribes {@code count} connections. */
    static Subscribers subscribe(int port, int count) {
        var subscribers = new Subscribers(port, count);
        var receiver = subscribers.new Receiver();
        for (int i = 0; i < count; i++) {
            var connection = subscribers.client.connectPubSub();
            connection.addListener(receiver);
            connection.sync().subscribe(CHANNEL);
        }
        return subscribers;
    }

    private final class Receiver extends RedisPubSubAdapter<String, String> {
        @Override
        public void message(String channel, String message) {
            // "e PREVIOUS ID ENTRY"
            int previous = message.indexOf(' ');
            int id = message.indexOf(' ', previous + 1);
            int entry = message.indexOf(' ', id + 1);
            if (message.startsWith("e ") && entry > 0) {
                var receipts = receipts(message.substring(id + 1, entry));
                if (receipts.count.incrementAndGet() == count) {
                    receipts.last.complete(System.nanoTime());
                }
            }
        }
    }

    private Receipts receipts(String id) {
        return byId.computeIfAbsent(id, absent -> new Receipts());
    }

    /** Waits until all have the message of the entry; returns the time of the last receipt. */
    long last(String id) throws InterruptedException {
        try {
            return receipts(id).last.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(
                    "expected message %s at %,d subscribers, found it at %,d"
                            .formatted(id, count, receipts(id).count.get()),
                    e);
        }
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, PATIENCE);
        resources.shutdown(0, PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
}
