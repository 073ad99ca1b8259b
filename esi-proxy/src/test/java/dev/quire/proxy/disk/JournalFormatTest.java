package dev.quire.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.cache.InvalidationState;
import dev.quire.proxy.cache.LogNote;
import dev.quire.proxy.cache.LogState;
import dev.quire.proxy.disk.JournalReading.Unusable;
import dev.quire.proxy.disk.JournalReading.Usable;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class JournalFormatTest {
    private static final UUID TIER = new UUID(1, 2);
    private static final long GENERATION = 5;

    /** With zeros behind the last frame, as in an allocated file. */
    private static final int ZEROS = 40;

    private static final String VERSION_ONE =
            "514a524e0000000100000000000000010000000000000002000000000000000556a5d975"
                    + "0000002197b7b71901000000000000000bfffffffffffffff30000000000000012000000"
                    + "00000000030000001124e81e96020000000000000007000000000000000a0000002c18a9"
                    + "d27c05000000000000000c000660b3fb5f4040010000000c6e6577732e6578616d706c65"
                    + "000000062f613f623de4";

    private final byte[] log = log();
    private final byte[] end = end(log.length - ZEROS);

    private static byte[] log() {
        var log = JournalFormat.header(TIER, GENERATION);
        JournalFormat.writeState(Entries.state(), Entries.CLOCKS, log);
        return ByteBufUtil.getBytes(log.writeZero(ZEROS));
    }

    private static byte[] end(long bytes) {
        var end = JournalFormat.emptyEnd();
        end.setBytes(JournalFormat.slotAt(GENERATION), JournalFormat.slot(TIER, GENERATION, bytes));
        // The slot of the former generation is never read.
        end.setBytes(
                JournalFormat.slotAt(GENERATION - 1),
                JournalFormat.slot(TIER, GENERATION - 1, bytes / 2));
        return ByteBufUtil.getBytes(end);
    }

    private static JournalReading read(byte[] log, byte[] end) {
        return read(log, end, TIER, Entries.CLOCKS);
    }

    private static JournalReading read(byte[] log, byte[] end, UUID tier, Clocks clocks) {
        try {
            return JournalFormat.read(
                    length -> Unpooled.wrappedBuffer(log, 0, Math.min(length, log.length)),
                    Unpooled.wrappedBuffer(end),
                    tier,
                    clocks);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void stateIsReadAsItWasWritten() {
        assertThat(read(log, end)).isEqualTo(new Usable(Entries.state(), GENERATION));
    }

    @Test
    void notesChangeTheStateBeforeThem() {
        var log = JournalFormat.header(TIER, GENERATION);
        JournalFormat.writeState(Entries.state(), Entries.CLOCKS, log);
        var read =
                new LogNote.Read(
                        -5,
                        7,
                        40L << 20,
                        List.of(new LogState.Place(40L << 20, 13)),
                        List.of(new LogNote.OwnId(15, 40L << 20), new LogNote.OwnId(17, 0)));
        JournalFormat.writeFrame(new JournalItem.Note(read), Entries.CLOCKS, log);

        var reading = read(ByteBufUtil.getBytes(log), end(log.readableBytes()));

        assertThat(((Usable) reading).state().log())
                .isEqualTo(
                        new LogState(
                                -5,
                                7,
                                40L << 20,
                                List.of(
                                        new LogState.Place(20L << 20, 12),
                                        new LogState.Place(40L << 20, 13)),
                                List.of(
                                        Entries.logState().own().getFirst(),
                                        new LogState.Own(
                                                15,
                                                40L << 20,
                                                new long[] {15, 17},
                                                new byte[] {3}))));
    }

    /** It was written by the last version without notes. */
    @Test
    void journalOfVersionOneIsRead() {
        var log = ByteBufUtil.decodeHexDump(VERSION_ONE);

        var reading = read(log, end(log.length));

        var url = new InvalidationEntry.UrlEntry(Entries.URL, Entries.SINCE);
        assertThat(reading)
                .isEqualTo(
                        new Usable(
                                new InvalidationState(
                                        11,
                                        -13,
                                        List.of(new InvalidationState.Epoch(7, 10)),
                                        18,
                                        3,
                                        List.of(new InvalidationState.Numbered(12, url)),
                                        List.of(),
                                        null),
                                GENERATION));
    }

    @Test
    void journalCutAnywhereIsUnusableOrWhole() {
        for (int length = 0; length < log.length; length++) {
            var reading = read(Arrays.copyOf(log, length), end);

            assertThat(reading)
                    .as("cut to %d bytes", length)
                    .isEqualTo(
                            length < log.length - ZEROS
                                    ? new Unusable(JournalLoss.SHORTER)
                                    : new Usable(Entries.state(), GENERATION));
        }
    }

    @Test
    void journalWithAnyFlippedBitIsUnusableOrWhole() {
        for (int bit = 0; bit < 8 * log.length; bit++) {
            var reading = read(flipped(log, bit), end);

            assertThat(reading instanceof Unusable)
                    .as("bit %d", bit)
                    .isEqualTo(bit < 8 * (log.length - ZEROS));
            assertWholeIfUsable(reading);
        }
    }

    @Test
    void endWithAnyFlippedBitOrCutIsUnusableOrWhole() {
        int slot = JournalFormat.slotAt(GENERATION);
        for (int bit = 0; bit < 8 * end.length; bit++) {
            var reading = read(log, flipped(end, bit));

            boolean isInSlot = bit >= 8 * slot && bit < 8 * (slot + JournalFormat.SLOT_BYTES);
            assertThat(reading)
                    .as("bit %d", bit)
                    .isEqualTo(
                            isInSlot
                                    ? new Unusable(JournalLoss.NO_END)
                                    : new Usable(Entries.state(), GENERATION));
        }
        for (int length = 0; length < end.length; length++) {
            assertThat(read(log, Arrays.copyOf(end, length)))
                    .isEqualTo(new Unusable(JournalLoss.NO_END));
        }
    }

    @Test
    void endOfAnEarlierOrLaterSyncIsNotThatOfTheJournal() {
        int first = JournalFormat.HEADER_BYTES + 1;
        for (int bytes = 0; bytes < log.length + 8; bytes++) {
            var reading = read(log, end(bytes));

            // Only at the end of a frame it is the journal as it was then.
            if (reading instanceof Usable(var state, var generation)) {
                assertThat(bytes).isBetween(first, log.length - ZEROS);
                assertThat(generation).isEqualTo(GENERATION);
                var all = Entries.state().entries();
                assertThat(state.entries()).isEqualTo(all.subList(0, state.entries().size()));
            }
        }
    }

    @Test
    void journalOfAnotherTierIsUnusable() {
        assertThat(read(log, end, new UUID(1, 3), Entries.CLOCKS))
                .isEqualTo(new Unusable(JournalLoss.OTHER_TIER));
    }

    @Test
    void frameWithARightChecksumThatNoWriterWroteIsDamage() {
        var log = JournalFormat.header(TIER, GENERATION);
        JournalFormat.writeState(Entries.state(), Entries.CLOCKS, log);
        JournalFormat.writeState(Entries.state(), Entries.CLOCKS, log);

        assertThat(read(ByteBufUtil.getBytes(log), end(log.readableBytes())))
                .isEqualTo(new Unusable(JournalLoss.DAMAGED));
    }

    @Test
    void timesGoOnByTheWallClock() {
        var later = new Clocks(Instant.ofEpochSecond(77), Entries.CLOCKS.wall().plusSeconds(3_600));

        var since = since(read(log, end, TIER, later));

        assertThat(since).isEqualTo(later.now().minusSeconds(3_607));
    }

    @Test
    void wallClockSetBackMakesEntriesCoverResponsesOfAnyAge() {
        var earlier = new Clocks(Instant.ofEpochSecond(77), Entries.CLOCKS.wall().minusSeconds(8));

        var reading = read(log, end, TIER, earlier);

        assertThat(since(reading)).isEqualTo(earlier.now());
        for (var numbered : ((Usable) reading).state().entries()) {
            switch (numbered.entry()) {
                case InvalidationEntry.PurgeEntry purge -> assertThat(purge.isSoft()).isFalse();
                case InvalidationEntry.BanEntry ban ->
                        assertThat(ban.condition().olderThan()).isEmpty();
                default -> {}
            }
        }
    }

    private static Instant since(JournalReading reading) {
        return ((Usable) reading).state().entries().getFirst().entry().since();
    }

    private static void assertWholeIfUsable(JournalReading reading) {
        if (reading instanceof Usable usable) {
            assertThat(usable).isEqualTo(new Usable(Entries.state(), GENERATION));
        }
    }

    private static byte[] flipped(byte[] bytes, int bit) {
        var flipped = bytes.clone();
        flipped[bit / 8] ^= (byte) (1 << bit % 8);
        return flipped;
    }
}
