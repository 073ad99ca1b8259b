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
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
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

    /** Makes invalidations by their numbers alone. */
    private final class Numbered {
        final AtomicLong newest = new AtomicLong(3);
        final FleetPositions positions = new FleetPositions(newest::get);
        final LogEntries entries =
                new LogEntries(
                        store.invalidations(), entry -> make(), positions, known, storeTime, now);

        Numbered() {
            positions.begin(7, LogId.of("4-0"));
            positions.read();
            positions.write();
        }

        private boolean make() {
            long number = newest.get() + 1;
            positions.enter(number);
            entries.made(number);
            newest.set(number);
            return true;
        }

        void readUnknown(String id) {
            entries.read(new LogServer.Entry(LogId.of(id), new byte[] {9}), EntrySource.CATCHUP);
        }

        long order(String id) {
            return positions.order(at(id));
        }
    }

    private static RecordPosition at(String id) {
        return new RecordPosition(7, LogId.of(id));
    }

    /** The purge of everything in place of both has the number 4. */
    @Test
    void recordsOfBeforeAnUnreadableEntryAreTestedAgainstThePurgeOfEverything() {
        var node = new Numbered();

        node.readUnknown("5-0");
        assertThat(List.of(node.order("4-0"), node.order("5-0"))).containsExactly(3L, 3L);
        node.readUnknown("6-0");
        assertThat(List.of(node.order("5-0"), node.order("6-0"))).containsExactly(3L, 3L);
        node.entries.note(7);

        assertThat(node.newest).hasValue(4);
        assertThat(List.of(node.order("4-0"), node.order("5-0"), node.order("6-0")))
                .containsExactly(3L, 3L, 4L);
    }

    /** The writer may ask at any time. */
    @Test
    void responsesOfBeforeAnUnreadableEntryDoNotHaveItsPosition() {
        var node = new Numbered();

        node.readUnknown("5-0");
        assertThat(node.positions.position(3)).isEqualTo(at("4-0"));
        node.entries.note(7);

        assertThat(node.positions.position(3)).isEqualTo(at("4-0"));
        assertThat(node.positions.position(4)).isEqualTo(at("5-0"));
    }

    @Test
    void responsesOfBeforeForgottenEntriesDoNotHaveTheirPositions() {
        var node = new Numbered();

        node.entries.missedBefore(LogId.of("9-0"), "the log has forgotten entries");

        assertThat(node.order("4-0")).isEqualTo(FleetPositions.UNKNOWN);
        assertThat(node.order("9-0")).isEqualTo(4);
        assertThat(node.positions.position(3)).isNull();
        assertThat(node.positions.position(4)).isEqualTo(at("9-0"));
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
