package dev.quire.proxy.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.cache.SharedRecords.Answer;
import dev.quire.proxy.cache.SharedRecords.ListKind;
import dev.quire.proxy.cache.SharedRecords.Place;
import dev.quire.proxy.cache.SharedRecords.Value;
import dev.quire.proxy.cache.SharedRecords.Version;
import dev.quire.proxy.listen.EventLoops;
import dev.quire.proxy.listen.Transport;
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
import org.jspecify.annotations.Nullable;

/** The records of a store as one process has them, with two event loops. */
public abstract class OpenRecords implements AutoCloseable {
    public static final long EPOCH = 0x8123_4567_89ab_cdefL;
    public static final Place PLACE = new Place(new RecordHash(1, -2), null);
    public static final Place VARIANT = new Place(new RecordHash(1, -2), new RecordHash(3, 4));
    public static final String KEY = "q1:{0000000000000001fffffffffffffffe}";
    public static final String VARIANT_KEY = KEY + ":00000000000000030000000000000004";

    public static final RecordTerms TERMS =
            new RecordTerms(
                    256 << 10, Duration.ofHours(24), Duration.ofSeconds(2), Optional.empty());

    /** Longer than the default: other work of the machine is not the subject. */
    public static final CallLimits LIMITS =
            new CallLimits(Duration.ofSeconds(2), 1_000, 1 << 24, 0);

    /** Memcached compares the times of records in these units. */
    private static final long UNIT_MILLIS = 64;

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    public final AtomicLong epoch = new AtomicLong(EPOCH);
    protected final Transport transport = Transport.ofThisMachine();
    protected final List<EventLoop> each = new ArrayList<>();
    private final EventLoops loops;

    protected OpenRecords() {
        loops = new EventLoops(2, "store-loop", transport.ioHandlers());
        loops.forEach(loop -> each.add((EventLoop) loop));
    }

    public abstract StoreRecords<?> records();

    protected abstract int connected();

    protected abstract int waiting();

    protected abstract Optional<String> failure();

    protected abstract void closeConnections();

    public final void awaitConnections(int number) {
        await(() -> connected() == number && records().isUsable());
    }

    public final void await(BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .describedAs("in time; failure: " + failure())
                    .isLessThan(end);
            Thread.onSpinWait();
        }
    }

    public final EventLoop loop() {
        return each.getFirst();
    }

    public final EventLoop loop(int number) {
        return each.get(number);
    }

    public final Answer get(Place place) {
        return await(then -> records().get(place, loop(), then));
    }

    public final Answer lease(Place place, @Nullable Version seen) {
        return await(then -> records().lease(place, seen, loop(), then));
    }

    public static Answer await(Consumer<Consumer<Answer>> call) {
        var answer = new CompletableFuture<Answer>();
        call.accept(answer::complete);
        try {
            return answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Writes {@code record}, and waits until the store has answered. */
    public final void put(Place place, Version version, byte[] record) {
        var bytes = Unpooled.copiedBuffer(record);
        records().put(place, version, 60_000, bytes);
        bytes.release();
        settle();
    }

    /** Waits until the store has answered all calls. */
    public final void settle() {
        await(() -> waiting() == 0);
    }

    /** Returns versions of one position: the one with the larger number is later. */
    public static Version version(long number) {
        return new Version(new RecordPosition(EPOCH, 0), number * UNIT_MILLIS);
    }

    /** Bytes with {@code version} where a record has it, and then {@code text}. */
    public static byte[] record(Version version, String text) {
        var record = Unpooled.buffer();
        record.writeZero(40);
        record.writeLong(version.position().epoch());
        record.writeLong(version.position().number());
        record.writeLong(version.writtenAtMillis());
        ByteBufUtil.writeUtf8(record, text);
        return taken(record);
    }

    /** The same with {@code kind} where a list of variants has it. */
    public static byte[] list(Version version, ListKind kind) {
        var list = Unpooled.wrappedBuffer(record(version, "list"));
        return taken(list.setBytes(24, RecordKeys.bytes(kind)));
    }

    /** Returns the bytes of {@code answer}, which must be a record; releases it. */
    public static byte[] bytes(Answer answer) {
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
    public final void close() {
        closeConnections();
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
