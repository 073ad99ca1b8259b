package dev.quire.bench.kill;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TierRecordTest {
    private static final TierRecord RECORD = new TierRecord(7, 12, -3, 40, 50);

    @Test
    void recordIsReadAsItWasWritten() {
        var bytes = RECORD.bytes();
        try {
            assertThat(TierRecord.read(7, bytes)).contains(RECORD);
            assertThat(TierRecord.read(8, bytes)).isEmpty();
        } finally {
            bytes.release();
        }
    }

    @Test
    void recordWithAnyFlippedBitOrCutIsWrong() {
        var bytes = RECORD.bytes();
        try {
            for (int bit = 0; bit < 8 * bytes.readableBytes(); bit++) {
                var flipped = bytes.copy();
                flipped.setByte(bit / 8, flipped.getByte(bit / 8) ^ 1 << bit % 8);
                assertThat(TierRecord.read(7, flipped)).as("bit %d", bit).isEmpty();
                flipped.release();
            }
            for (int length = 0; length < bytes.readableBytes(); length++) {
                assertThat(TierRecord.read(7, bytes.slice(0, length))).isEmpty();
            }
        } finally {
            bytes.release();
        }
    }

    @Test
    void reportIsReadAsItWasWritten() {
        for (var kind : TierReport.Kind.values()) {
            var report = new TierReport(3, kind, 999, 1_000_000_000_001L);
            assertThat(TierReport.read(report.line())).isEqualTo(report);
        }
    }
}
