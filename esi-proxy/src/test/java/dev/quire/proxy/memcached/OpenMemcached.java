package dev.quire.proxy.memcached;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.cache.SharedRecords.Answer;
import dev.quire.proxy.cache.SharedRecords.Place;
import dev.quire.proxy.cache.SharedRecords.Value;
import dev.quire.proxy.cache.SharedRecords.Version;
import dev.quire.proxy.listen.EventLoops;
import dev.quire.proxy.listen.Transport;
import dev.quire.proxy.store.CallLimits;
import dev.quire.proxy.store.RecordTerms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The records of memcached servers as one process has them, with two event loops. */
final class OpenMemcached implements AutoCloseable {
    static final long GENERATION = 0x8123_4567_89ab_cdefL;
    static final Place PLACE = new Place(new RecordHash(1, -2), null);
    static final Place VARIANT = new Place(new RecordHash(1, -2), new RecordHash(3, 4));
    static final String KEY = "q1:{0000000000000001fffffffffffffffe}";
    static final String VARIANT_KEY = KEY + ":00000000000000030000000000000004";

    /** Of the times of records. */
    static final long UNIT_MILLIS = 64;

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int MAX_RECORD_BYTES = 256 << 10;

    final AtomicLong generation = new AtomicLong(GENERATION);
    final MetaServers servers;
    final MemcachedRecords records;
    private final EventLoops loops;
    private final List<EventLoop> each = new ArrayList<>();

    OpenMemcached(MemcachedSettings settings) {
        var transport = Transport.ofThisMachine();
        loops = new EventLoops(2, "store-loop", transport.ioHandlers());
        loops.forEach(loop -> each.add((EventLoop) loop));
        servers = new MetaServers(settings, each, transport.clientChannel());
        records = new MemcachedRecords(servers, generation::get);
    }

    static MemcachedSettings settings(int... ports) {
        return new MemcachedSettings(
                Arrays.stream(ports)
                        .mapToObj(port -> new MemcachedSettings.Server("127.0.0.1", port))
                        .toList(),
                "q1",
                new RecordTerms(
                        MAX_RECORD_BYTES,
                        Duration.ofHours(24),
                        Duration.ofSeconds(2),
                        Optional.empty()),
                // Longer than the default: other work of the machine is not the subject.
                new CallLimits(Duration.ofSeconds(2), 1_000, 1 << 24));
    }

    static MemcachedSettings with(
            MemcachedSettings given, Duration timeout, int queue, Optional<byte[]> secret) {
        return new MemcachedSettings(
                given.servers(),
                given.namespace(),
                new RecordTerms(
                        given.records().maxBytes(),
                        given.records().maxTtl(),
                        given.records().lease(),
                        secret),
                new CallLimits(timeout, queue, given.limits().writingBytes()));
    }

    /** Opens it and waits until it is usable on all loops. */
    static OpenMemcached of(MemcachedServer server) {
        return connected(settings(server.port()));
    }

    static OpenMemcached connected(MemcachedSettings settings) {
        var store = new OpenMemcached(settings);
        store.awaitConnections(2 * settings.servers().size());
        return store;
    }

    void awaitConnections(int number) {
        await(() -> servers.connections() == number && records.isUsable());
    }

    void await(BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .describedAs("in time; failure: " + servers.failure())
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
        await(() -> servers.waiting() == 0);
    }

    /**
     * @param units since 1970
     */
    static Version version(long units) {
        return new Version(new RecordPosition(GENERATION, 0), units * UNIT_MILLIS);
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
        servers.close();
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
