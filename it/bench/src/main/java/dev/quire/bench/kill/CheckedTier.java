package dev.quire.bench.kill;

import dev.quire.core.expression.SearchPattern;
import dev.quire.core.rule.HostPattern;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.InvalidationEntry.BanEntry;
import dev.quire.proxy.cache.InvalidationState;
import dev.quire.proxy.cache.Invalidations;
import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.cache.RecordLog;
import dev.quire.proxy.disk.DiskTier;
import dev.quire.proxy.exchange.Time;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A disk tier with records whose invalidations are bans on one tag each: that of their number. One
 * thread.
 */
final class CheckedTier implements AutoCloseable {
    /** Records are numbered from 0. */
    static final int RECORDS = 500;

    private static final long SIZE_BYTES = 16L << 20;
    private static final long INDEX_BYTES = 1L << 20;
    private static final long LATER_MILLIS = Duration.ofDays(1).toMillis();

    private final Time time = Time.system();
    private final Invalidations invalidations = Invalidations.empty(time::now);

    /** Of the newest ban on each number. */
    private final Map<Integer, Long> bans = new HashMap<>();

    private final DiskTier tier;
    private final RecordLog log;
    private final InvalidationState begun;
    private long newest;

    CheckedTier(Path directory) throws IOException {
        tier =
                DiskTier.open(
                        new DiskTier.Terms(directory, SIZE_BYTES, INDEX_BYTES),
                        invalidations,
                        () -> Long.MAX_VALUE,
                        this::again,
                        time);
        begun = invalidations.state();
        newest = begun.newest();
        for (var numbered : begun.entries()) {
            if (numbered.entry() instanceof BanEntry ban) {
                bans.merge(
                        Integer.parseInt(ban.condition().tag().orElseThrow()),
                        numbered.number(),
                        Math::max);
            }
        }
        log = tier.load();
    }

    private long epoch() {
        return begun.epochs().getLast().name();
    }

    /** Appends a record that was tested against all invalidations so far. */
    void append(int number, long version, int filling) {
        var record = new TierRecord(number, version, epoch(), newest, filling);
        var bytes = record.bytes();
        try {
            log.append(record.id(), newest, time.wall().toEpochMilli() + LATER_MILLIS, bytes);
        } finally {
            bytes.release();
        }
    }

    /** Removes the record of a number, also for later processes. */
    void remove(int number) {
        log.remove(TierRecord.id(number));
        log.flush();
    }

    /** Bans the records of a number; returns whether the ban is durable. */
    boolean ban(int number) {
        var tag = Optional.of(Integer.toString(number));
        var none = Optional.<SearchPattern>empty();
        var entered =
                invalidations.ban(
                        new BanCondition(
                                Optional.<HostPattern>empty(),
                                none,
                                tag,
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty()));
        newest = entered.orElseThrow();
        bans.put(number, newest);
        return invalidations.sync().toCompletableFuture().join() == Durability.DURABLE;
    }

    /** The content of the tier for a number. */
    sealed interface Stored {
        record Usable(long version) implements Stored {}

        /** No record, or one that must not be used any more. */
        record Nothing() implements Stored {}

        /** Bytes that were never written for this number. */
        record Wrong() implements Stored {}
    }

    Stored read(int number) {
        var record = log.read(TierRecord.id(number));
        if (record == null) {
            return new Stored.Nothing();
        }
        try {
            var read = TierRecord.read(number, record);
            if (read.isEmpty()) {
                return new Stored.Wrong();
            }
            return isUsable(read.get())
                    ? new Stored.Usable(read.get().version())
                    : new Stored.Nothing();
        } finally {
            record.release();
        }
    }

    /** Whether no invalidation since its position covers it. */
    private boolean isUsable(TierRecord record) {
        var order = order(record);
        return order.isPresent()
                && order.getAsLong() >= begun.floor()
                && order.getAsLong() >= bans.getOrDefault(record.number(), 0L);
    }

    /**
     * Returns the number of our newest invalidation that is not after the record's position; empty
     * if its process is not known. The last numbers that a killed process has given may be lost,
     * and given again: then the end of its epoch counts.
     */
    private OptionalLong order(TierRecord record) {
        long end = newest;
        for (var epoch : begun.epochs().reversed()) {
            if (epoch.name() == record.epoch()) {
                return OptionalLong.of(Math.min(record.position(), end));
            }
            end = epoch.before();
        }
        return OptionalLong.empty();
    }

    private RecordLog.@Nullable Reinserted again(RecordHash id, ByteBuf record) {
        var read = TierRecord.read((int) id.low(), record);
        return read.isPresent() && isUsable(read.get())
                ? new RecordLog.Reinserted(newest, read.get().testedIn(epoch(), newest).bytes())
                : null;
    }

    @Override
    public void close() {
        tier.close();
    }
}
