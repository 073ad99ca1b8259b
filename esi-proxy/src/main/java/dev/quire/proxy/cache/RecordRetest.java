package dev.quire.proxy.cache;

import dev.quire.core.policy.Tags;
import dev.quire.core.policy.Validation;
import dev.quire.proxy.exchange.Time;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Tests older records against the invalidations since they were written, as if their responses were
 * in memory. Thread-safe; not for event loops, since it reads whole bodies.
 */
public final class RecordRetest implements RecordLog.Reinsertion {
    private final Invalidations invalidations;
    private final Time time;
    private final Consumer<Consumer<StoredResponse>> memory;
    private final Predicate<ByteBuf> isNotAResponse;

    /** Tests the records of the {@link RecordTier} below {@code store}. */
    public static RecordRetest of(PageStore store, Time time) {
        return new RecordRetest(
                store.invalidations(), time, store::forEach, RecordVariants::isList);
    }

    /**
     * @param memory passes the responses in memory on
     * @param isNotAResponse whether a record is of another kind, which no invalidation covers and
     *     which is always of use; does not change it
     */
    RecordRetest(
            Invalidations invalidations,
            Time time,
            Consumer<Consumer<StoredResponse>> memory,
            Predicate<ByteBuf> isNotAResponse) {
        this.invalidations = invalidations;
        this.time = time;
        this.memory = memory;
        this.isNotAResponse = isNotAResponse;
    }

    @Override
    public RecordLog.@Nullable Reinserted again(RecordHash id, ByteBuf record) {
        // First: an entry after this is tested when the record is read.
        long upTo = invalidations.newest();
        if (isNotAResponse.test(record)) {
            return new RecordLog.Reinserted(upTo, record.retain());
        }
        return switch (RecordHeader.read(record)) {
            case RecordMiss miss -> null;
            case RecordHeader.Valid(var header)
                    when header.recordBytes() != record.readableBytes() ->
                    null;
            case RecordHeader.Valid(var header) -> again(header, record, upTo);
        };
    }

    @Override
    public void forEachInMemory(
            long untilMillis, BooleanSupplier isWanted, Consumer<RecordHash> each) {
        var age = Duration.between(Instant.ofEpochMilli(untilMillis), time.steadyWall());
        var until = time.now().minus(age);
        memory.accept(response -> {
            var storage = response.content().traits().storage();
            if (storage != null
                    && !response.freshness().receivedAt().isAfter(until)
                    && isWanted.getAsBoolean()) {
                var key = RecordKey.of(response.key(), storage).hash();
                RecordVariants.ids(response, key).forEach(each);
            }
        });
    }

    private RecordLog.@Nullable Reinserted again(RecordHeader header, ByteBuf record, long upTo) {
        int start = record.readerIndex();
        int before = record.getInt(start + RecordHeader.BYTES - RecordHeader.CHECK_BYTES);
        var meta = record.slice(start + RecordHeader.BYTES, header.metaBytes());
        var body = record.slice(start + header.frontBytes(), header.bodyBytes());
        long tested = invalidations.order(header.position());
        if (tested == RecordCodec.Orders.UNKNOWN
                || !hasCheck(record, start + RecordHeader.BYTES, meta, before)
                || !hasCheck(record, start + header.frontBytes(), body, before)) {
            return null;
        }
        var next = tested(header, meta, tested);
        return next == null
                ? null
                : new RecordLog.Reinserted(
                        upTo,
                        RecordCodec.joined(next.at(invalidations.position(upTo)), meta, body));
    }

    /** Whether the checksum after {@code part} is correct; new ones hide no damage. */
    private static boolean hasCheck(ByteBuf record, int at, ByteBuf part, int before) {
        return record.getInt(at + part.readableBytes()) == RecordHeader.check(part, before);
    }

    /**
     * Returns the header with the freshness that invalidations have left; null if it is of no use.
     */
    private @Nullable RecordHeader tested(RecordHeader header, ByteBuf values, long tested) {
        RecordMeta meta;
        BanSubject subject;
        var now = time.now();
        var wall = time.steadyWall();
        var freshness = header.freshness(now, wall);
        try {
            meta = RecordMeta.read(values.slice(), header);
            var fields = meta.head().fields();
            subject =
                    new BanSubject(
                            meta.ofUrl(), Tags.of(fields), meta.head(), freshness.receivedAt());
        } catch (IllegalArgumentException e) {
            return null;
        }
        var effect = invalidations.effect(InvalidationSubject.of(subject), tested, null);
        var left = effect == null ? freshness : effect.on(freshness);
        if (left == null
                || !PageStore.keepFor(left, Validation.hasValidator(meta.head().fields()), now)
                        .isPositive()) {
            return null;
        }
        return left.equals(freshness) ? header : header.with(left, now, wall);
    }
}
