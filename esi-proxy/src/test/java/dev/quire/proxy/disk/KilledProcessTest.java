package dev.quire.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KilledProcessTest {
    private static final int KILLS = 20;

    /** Of the records of earlier processes only some are read. */
    private static final int OLD_STEP = 37;

    private static final int MAX_BATCHES = 100;

    @TempDir Path temporary;

    @Test
    void whatWasAppendedSurvivesTheKillOfTheProcess() throws Exception {
        var random = new Random(11);
        long first = 1;
        for (int round = 0; round < KILLS; round++) {
            long last = appendAndKill(first, 1 + random.nextInt(MAX_BATCHES));
            assertThat(last).isGreaterThanOrEqualTo(first);
            first = check(first, last);
        }
    }

    /** Returns the number of the last record that the process has reported. */
    private long appendAndKill(long first, int batches) throws Exception {
        try (var process =
                new ChildJvm(AppendingProcess.class, temporary.toString(), String.valueOf(first))) {
            long last = 0;
            for (int i = 0; i < batches; i++) {
                last = Long.parseLong(process.line());
            }
            return last;
        }
    }

    /** Checks all records; returns the number of the first that is unknown. */
    private long check(long first, long reported) throws IOException {
        try (var log =
                SegmentLog.open(
                        temporary,
                        AppendingProcess.SIZE,
                        8L << 20,
                        LogHouse.TIER,
                        () -> 1,
                        LogHouse.UNCHANGED,
                        Clock.systemUTC())) {
            for (long old = 1; old < first; old += OLD_STEP) {
                // Fails if the record is wrong.
                assertThat(LogHouse.version(log, old))
                        .isIn(null, AppendingProcess.isRemoved(old) ? null : 1);
            }
            long number = first;
            for (; number <= reported; number++) {
                var version = LogHouse.version(log, number);
                // The process may have ended between the last record and its removal.
                if (number < reported || !AppendingProcess.isRemoved(number)) {
                    assertThat(version)
                            .as("record %s", number)
                            .isEqualTo(AppendingProcess.isRemoved(number) ? null : 1);
                }
            }
            long gap = 0;
            while (gap < AppendingProcess.BATCH * 100L) {
                gap = LogHouse.version(log, number++) == null ? gap + 1 : 0;
            }
            assertThat(log.stats().damaged()).isZero();
            return number;
        }
    }
}
