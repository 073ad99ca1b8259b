package dev.quire.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.disk.JournalReading.Unusable;
import dev.quire.proxy.disk.JournalReading.Usable;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class JournalFormatTest {
    private static final UUID TIER = new UUID(1, 2);
    private static final long GENERATION = 5;

    /** With zeros behind the last frame, as in an allocated file. */
    private static final int ZEROS = 40;

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
