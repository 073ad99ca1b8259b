package dev.quire.proxy.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.BanPatterns;
import dev.quire.proxy.cache.InFlightBudget;
import dev.quire.proxy.cache.InvalidationEntry.BanEntry;
import dev.quire.proxy.cache.LogNote;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.fleet.KnownEntries.Known;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogEntriesTest {
    private static final BanCondition CONDITION =
            BanCondition.of(BanPatterns.of(Fields.of("X-Url", "^/a")));

    private Instant now = Instant.parse("2026-11-20T12:00:00Z");

    private final Time time =
            new Time() {
                @Override
                public Instant now() {
                    return now;
                }

                @Override
                public Instant wall() {
                    return now;
                }
            };

    private final StoreTime storeTime = new StoreTime(time);
    private final PageStore store = new PageStore(1 << 20, new InFlightBudget(1 << 20), time::now);
    private final KnownEntries known = new KnownEntries();
    private final LogEntries entries =
            new LogEntries(
                    store.invalidations(),
                    entry -> true,
                    new FleetPositions(store.invalidations()::newest),
                    known,
                    storeTime,
                    now);

    /** The store was away meanwhile. */
    @Test
    void ownEntryIsAppendedAgainForAMinuteAfterTheLogHadIt() {
        var name = new EntryName("one", 1);
        var bytes = FleetEntry.write(name, LogEntries.everything(now), false, storeTime);
        known.add(new Known(name, bytes, storeTime.ticks(), 1, 1));
        now = now.plusSeconds(120);
        entries.read(new LogServer.Entry(LogId.of("5-0"), bytes), EntrySource.CATCHUP);

        entries.again(
                new LogNote.Begun(8, LogId.of("6-0"), LogId.of("5-0")),
                storeTime.ticks() - FleetLog.AGAIN.toNanos());

        assertThat(known.all()).extracting(each -> each.name).containsExactly(name);
    }

    @Test
    void recordOfBeforeAnUnreadableEntryIsNotUsed() {
        var newest = new AtomicLong(3);
        var positions = new FleetPositions(newest::get);
        var self = new AtomicReference<LogEntries>();
        self.set(
                new LogEntries(
                        store.invalidations(),
                        entry -> {
                            positions.enter(newest.incrementAndGet());
                            self.get().made(newest.get());
                            return true;
                        },
                        positions,
                        known,
                        storeTime,
                        now));
        positions.begin(7, LogId.of("4-0"));
        positions.read();

        self.get().read(new LogServer.Entry(LogId.of("5-0"), new byte[] {1}), EntrySource.CATCHUP);
        self.get().note(7);

        assertThat(newest).hasValue(4);
        assertThat(positions.order(new RecordPosition(7, LogId.of("4-0"))))
                .isEqualTo(FleetPositions.UNKNOWN);
        assertThat(positions.order(new RecordPosition(7, LogId.of("5-0")))).isEqualTo(4);
    }

    /**
     * An end that was appended again, and is not known here any more, is of a former ban. The clock
     * of another node may be a little ahead.
     */
    @ParameterizedTest
    @CsvSource({"-2000, false", "900, false", "1100, true"})
    void endOfABanEndsNoneThatWasMadeLater(long laterMillis, boolean isActive) {
        var invalidations = store.invalidations();
        var end =
                FleetEntry.write(
                        new EntryName("one", 1), new BanEntry(CONDITION, now), true, storeTime);
        now = now.plusMillis(laterMillis);
        var name = new EntryName("two", 1);
        var ban = FleetEntry.write(name, new BanEntry(CONDITION, now), false, storeTime);
        long number = invalidations.ban(CONDITION).getAsLong();
        known.add(new Known(name, ban, storeTime.ticks(), 0, number));
        now = now.plus(Duration.ofMinutes(1));

        entries.read(new LogServer.Entry(LogId.of("5-0"), end), EntrySource.CATCHUP);

        assertThat(invalidations.activeBan(CONDITION).isPresent()).isEqualTo(isActive);
    }
}
