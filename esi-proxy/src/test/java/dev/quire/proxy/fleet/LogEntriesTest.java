package dev.quire.proxy.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.InFlightBudget;
import dev.quire.proxy.cache.LogNote;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.fleet.KnownEntries.Known;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LogEntriesTest {
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
}
