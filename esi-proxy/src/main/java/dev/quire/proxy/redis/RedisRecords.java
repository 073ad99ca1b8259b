package dev.quire.proxy.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.cache.TierWrite;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.store.Lease;
import dev.quire.proxy.store.RecordKeys;
import dev.quire.proxy.store.ServerConnection;
import dev.quire.proxy.store.StoreFault;
import dev.quire.proxy.store.StoreRecords;
import dev.quire.proxy.store.StoreServer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Records in Redis or Valkey, whose connections are on the event loops. It connects in the
 * background: a store that is away fails neither the start nor a request.
 */
public final class RedisRecords extends StoreRecords<StoreConnection> implements AutoCloseable {

    private static final long FAILED_MILLIS = 1_000;
    private static final long UNCACHEABLE_MILLIS = 120_000;
    private static final long CLOSE_SECONDS = 2;

    private final RedisSettings settings;
    private final HashedWheelTimer timer =
            new HashedWheelTimer(new DefaultThreadFactory("quire-redis-timer", true));
    private final StoreServer<StoreConnection> server;

    /**
     * Begins to connect.
     *
     * @param loops of the transport of this machine; owned by the caller, and to be shut down after
     *     this
     * @param epoch returns that of the present positions: records of others are not later than any
     */
    public RedisRecords(RedisSettings settings, Collection<EventLoop> loops, LongSupplier epoch) {
        super(settings.namespace(), settings.records(), epoch);
        this.settings = settings;
        this.server = new StoreServer<>(loops, new Protocol(), settings.limits());
    }

    @Override
    public boolean isUsable() {
        return server.isUsable();
    }

    /** The store: its state, connections and waiting calls. */
    public StoreServer<?> server() {
        return server;
    }

    @Override
    protected StoreServer<StoreConnection> server(Place place) {
        return server;
    }

    @Override
    public void get(Place place, EventLoop loop, Consumer<Answer> then) {
        var key = keys().record(place);
        ask(
                loop,
                then,
                StoreRequest.read(key, terms().valueBytes() + 1L),
                (reply, connection) ->
                        switch (reply) {
                            case StoreReply.Bytes(var bytes) when !bytes.isReadable() -> {
                                bytes.release();
                                yield new Absent();
                            }
                            case StoreReply.Bytes(var bytes) ->
                                    checked(place, key, bytes, connection, new Absent());
                            case StoreReply.Failure failure -> failed(place, failure);
                            case StoreReply.Count number -> unexpected();
                            case StoreReply.Other other -> new Absent();
                        });
    }

    @Override
    public void lease(Place place, @Nullable Version seen, EventLoop loop, Consumer<Answer> then) {
        var key = keys().record(place);
        ask(
                loop,
                then,
                StoreRequest.run(
                        StoreScript.LEASE,
                        List.of(key, keys().lease(place)),
                        seen == null ? new byte[0] : RecordKeys.bytes(seen),
                        holder(),
                        terms().lease().toMillis(),
                        (long) terms().valueBytes()),
                (reply, connection) ->
                        switch (reply) {
                            case StoreReply.Bytes(var bytes) ->
                                    checked(place, key, bytes, connection, new None(Reason.ERROR));
                            case StoreReply.Count(long number) -> leased(number);
                            case StoreReply.Failure failure -> failed(place, failure);
                            case StoreReply.Other other -> unexpected();
                        });
    }

    private Answer leased(long number) {
        for (var lease : Lease.values()) {
            if (lease.number() == number) {
                return leased(lease);
            }
        }
        return unexpected();
    }

    private Answer failed(Place place, StoreReply.Failure failure) {
        if (failure.detail().startsWith("WRONGTYPE")) {
            // It does not say which of the two.
            counts().addCorrupt();
            tell(place, StoreRequest.delete(keys().record(place), keys().lease(place)));
        }
        return new None(failure.reason());
    }

    private static Answer unexpected() {
        return new None(Reason.ERROR);
    }

    /** Converts a reply to the answer. */
    private interface Reading {
        Answer of(StoreReply reply, StoreConnection connection);
    }

    private void ask(EventLoop loop, Consumer<Answer> then, StoreRequest request, Reading reading) {
        server.ask(
                loop,
                then,
                (connection, answered, ended) ->
                        connection.send(
                                request,
                                reply -> answered.accept(reading.of(reply, connection)),
                                ended));
    }

    @Override
    protected StoreServer.Request<StoreConnection> write(
            Place place, Version version, long keepMillis, ByteBuf record) {
        var key = keys().record(place);
        return (connection, ended) ->
                connection.send(
                        StoreRequest.run(
                                StoreScript.PUT,
                                List.of(key, keys().lease(place)),
                                RecordKeys.bytes(version.position().epoch()),
                                RecordKeys.bytes(version),
                                Math.max(1, keepMillis),
                                new StoredValue(record, connection.seal().of(key, record)),
                                holder()),
                        reply -> counts().add(written(place, reply)),
                        ended);
    }

    private TierWrite written(Place place, StoreReply reply) {
        return switch (reply) {
            case StoreReply.Count(long number) -> {
                server.writes();
                yield number == 0 ? TierWrite.REPLACED : TierWrite.STORED;
            }
            case StoreReply.Failure failure -> {
                failed(place, failure);
                yield TierWrite.FAILED;
            }
            case StoreReply.Bytes bytes -> {
                bytes.release();
                yield TierWrite.FAILED;
            }
            case StoreReply.Other other -> TierWrite.FAILED;
        };
    }

    @Override
    public void remove(Place place, Version version, @Nullable ListKind kept) {
        tell(
                place,
                StoreRequest.run(
                        StoreScript.REMOVE,
                        List.of(keys().record(place)),
                        RecordKeys.bytes(epoch()),
                        RecordKeys.bytes(version),
                        kept == null ? new byte[0] : RecordKeys.bytes(kept)));
    }

    @Override
    public void release(Place place, Ending ending) {
        tell(
                place,
                StoreRequest.run(
                        StoreScript.RELEASE,
                        List.of(keys().lease(place)),
                        holder(),
                        note(ending),
                        ending == Ending.FAILED ? FAILED_MILLIS : UNCACHEABLE_MILLIS));
    }

    private static byte[] note(Ending ending) {
        return (switch (ending) {
                    case NONE -> "";
                    case FAILED -> "failed";
                    case UNCACHEABLE -> "uncacheable";
                })
                .getBytes(US_ASCII);
    }

    @Override
    public boolean drop(Place place) {
        return tell(place, StoreRequest.delete(keys().record(place)));
    }

    private boolean tell(Place place, StoreRequest request) {
        return tell(
                place,
                (connection, ended) -> connection.send(request, StoreReply::release, ended),
                () -> {});
    }

    private final class Protocol implements StoreServer.Protocol<StoreConnection> {

        @Override
        public StoreConnection connection(EventLoop loop, ServerConnection.Listener listener) {
            return new StoreConnection(
                    loop, new StoreClient(settings, loop, timer), settings, listener);
        }

        /** {@inheritDoc} Reads a key of any slot, and so from any server of a cluster. */
        @Override
        public boolean hasHandshake() {
            return true;
        }

        @Override
        public void tryOut(StoreConnection connection, Consumer<Boolean> ended) {
            var random = ThreadLocalRandom.current();
            var hash = new RecordHash(random.nextLong(), random.nextLong());
            connection.send(
                    StoreRequest.read(keys().record(new Place(hash, null)), 1),
                    reply -> {
                        reply.release();
                        ended.accept(!(reply instanceof StoreReply.Failure));
                    },
                    () -> {});
        }

        @Override
        public StoreFault ofConnection(String why) {
            return StoreFault.ofConnection(why, settings.access().key());
        }

        @Override
        public StoreFault ofError(String error) {
            return StoreFault.ofError(error);
        }
    }

    /** Closes all connections. Blocks. */
    @Override
    public void close() {
        server.close();
        long end = System.nanoTime() + CLOSE_SECONDS * Time.NANOS_A_SECOND;
        for (var connection : server.connections()) {
            try {
                connection
                        .client()
                        .close()
                        .toCompletableFuture()
                        .get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException unclosed) {
                // The loops close what is left.
            }
        }
        timer.stop();
    }
}
