package dev.quire.proxy.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.cache.SharedRecords.Answer;
import dev.quire.proxy.cache.SharedRecords.Place;
import dev.quire.proxy.cache.SharedRecords.Value;
import dev.quire.proxy.cache.SharedRecords.Version;
import dev.quire.proxy.listen.EventLoops;
import dev.quire.proxy.listen.Transport;
import dev.quire.proxy.redis.RedisSettings.Access;
import dev.quire.proxy.redis.RedisSettings.Login;
import dev.quire.proxy.redis.RedisSettings.Server;
import dev.quire.proxy.redis.RedisSettings.Topology;
import dev.quire.proxy.store.CallLimits;
import dev.quire.proxy.store.RecordTerms;
import dev.quire.proxy.tls.OriginTls;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The records of a store as one process has them, with two event loops. */
final class OpenStore implements AutoCloseable {
    static final long EPOCH = 0x8123_4567_89ab_cdefL;
    static final Place PLACE = new Place(new RecordHash(1, -2), null);
    static final Place VARIANT = new Place(new RecordHash(1, -2), new RecordHash(3, 4));
    static final String KEY = "q1:{0000000000000001fffffffffffffffe}";

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int MAX_RECORD_BYTES = 256 << 10;

    final AtomicLong epoch = new AtomicLong(EPOCH);
    final RedisRecords records;
    private final EventLoops loops;
    private final List<EventLoop> each = new ArrayList<>();

    private OpenStore(RedisSettings settings) {
        var transport = Transport.ofThisMachine();
        loops = new EventLoops(2, "store-loop", transport.ioHandlers());
        loops.forEach(loop -> each.add((EventLoop) loop));
        records = new RedisRecords(settings, each, epoch::get);
    }

    static RedisSettings settings(int port) {
        return settings(new Topology.Standalone(new Server("127.0.0.1", port)));
    }

    static RedisSettings settings(Topology topology) {
        return new RedisSettings(
                new Access(topology, Login.NONE, Optional.empty()),
                "q1",
                new RecordTerms(
                        MAX_RECORD_BYTES,
                        Duration.ofHours(24),
                        Duration.ofSeconds(2),
                        Optional.empty()),
                // Longer than the default: other work of the machine is not the subject.
                new CallLimits(Duration.ofSeconds(2), 1_000, 1 << 24));
    }

    static RedisSettings with(RedisSettings given, Login login, Optional<OriginTls> tls) {
        var access = new Access(given.access().topology(), login, tls);
        return new RedisSettings(access, given.namespace(), given.records(), given.limits());
    }

    static RedisSettings with(RedisSettings given, RecordTerms records) {
        return new RedisSettings(given.access(), given.namespace(), records, given.limits());
    }

    static RedisSettings with(RedisSettings given, CallLimits limits) {
        return new RedisSettings(given.access(), given.namespace(), given.records(), limits);
    }

    static RedisSettings withTimeout(RedisSettings given, Duration timeout) {
        var limits = given.limits();
        return with(given, new CallLimits(timeout, limits.queue(), limits.writingBytes()));
    }

    /** Opens it, without waiting for a connection. */
    static OpenStore open(RedisSettings settings) {
        return new OpenStore(settings);
    }

    /** Opens it and waits until it is usable on all loops. */
    static OpenStore of(RedisServer server) {
        return connected(settings(server.port()));
    }

    static OpenStore of(RedisServer server, UnaryOperator<RedisSettings> changes) {
        return connected(changes.apply(settings(server.port())));
    }

    private static OpenStore connected(RedisSettings settings) {
        var store = open(settings);
        store.awaitConnections(2);
        return store;
    }

    void awaitConnections(int number) {
        await(() -> records.server().connected() == number && records.isUsable());
    }

    void await(BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .describedAs("in time; failure: " + records.server().failure())
                    .isLessThan(end);
            Thread.onSpinWait();
        }
    }

    EventLoop loop() {
        return each.getFirst();
    }

    EventLoop loop(int number) {
        return each.get(number);
    }

    Answer get(Place place) {
        return await(then -> records.get(place, loop(), then));
    }

    Answer lease(Place place, @Nullable Version seen) {
        return await(then -> records.lease(place, seen, loop(), then));
    }

    static Answer await(Consumer<Consumer<Answer>> call) {
        var answer = new CompletableFuture<Answer>();
        call.accept(answer::complete);
        try {
            return answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Writes {@code record}, and waits until the store has answered. */
    void put(Place place, Version version, byte[] record) {
        var bytes = Unpooled.copiedBuffer(record);
        records.put(place, version, 60_000, bytes);
        bytes.release();
        settle();
    }

    /** Waits until the store has answered all calls. */
    void settle() {
        await(() -> records.server().queue().waiting() == 0);
    }

    static Version version(long number, long writtenAt) {
        return new Version(new RecordPosition(EPOCH, number), writtenAt);
    }

    /** Bytes with {@code version} where a record has it, and then {@code text}. */
    static byte[] record(Version version, String text) {
        var record = Unpooled.buffer();
        record.writeZero(40);
        record.writeLong(version.position().epoch());
        record.writeLong(version.position().number());
        record.writeLong(version.writtenAtMillis());
        ByteBufUtil.writeUtf8(record, text);
        return taken(record);
    }

    /** Returns the bytes of {@code answer}, which must be a record; releases it. */
    static byte[] bytes(Answer answer) {
        assertThat(answer).isInstanceOf(Value.class);
        return taken(((Value) answer).record());
    }

    private static byte[] taken(ByteBuf bytes) {
        try {
            return ByteBufUtil.getBytes(bytes);
        } finally {
            bytes.release();
        }
    }

    @Override
    public void close() {
        records.close();
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
