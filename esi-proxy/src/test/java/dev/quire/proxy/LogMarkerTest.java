package dev.quire.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process knows until when the former one knew the log of its fleet. */
class LogMarkerTest {
    private static final Duration LEASE = Duration.ofSeconds(5);

    @TempDir Path directory;

    @Test
    void emptyDirectoryHasNoResponsesOfAFormerProcess() {
        assertThat(LogMarker.read(directory)).isNull();
        assertThat(LogMarker.read(directory.resolve("absent"))).isNull();
    }

    @Test
    void filesWithoutAMarkerMayBeOfAnyAge() throws IOException {
        Files.createFile(directory.resolve("000001.seg"));

        assertThat(LogMarker.read(directory)).isEqualTo(Instant.EPOCH);
    }

    @Test
    void markerHasTheTimeOfALeaseAgo() {
        var before = Instant.now();
        try (var marker = LogMarker.start(directory, LEASE, () -> true)) {
            await(() -> Files.exists(directory.resolve(LogMarker.NAME)));
            await(() -> isBefore(Instant.now().minus(LEASE).plusMillis(1)));
            assertThat(LogMarker.read(directory)).isAfter(before.minus(LEASE).minusSeconds(1));
            assertThat(marker).isNotNull();
        }
    }

    @Test
    void timeStaysWhileTheLogIsAway() {
        var asked = new AtomicInteger();
        try (var marker = LogMarker.start(directory, LEASE, () -> asked.incrementAndGet() == 1)) {
            await(() -> asked.get() == 2);
            var known = LogMarker.read(directory);
            await(() -> asked.get() == 4);

            assertThat(LogMarker.read(directory)).isEqualTo(known);
            assertThat(marker).isNotNull();
        }
    }

    private boolean isBefore(Instant time) {
        var known = LogMarker.read(directory);
        return known != null && known.isBefore(time);
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(Condition condition) {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.onSpinWait();
        }
    }
}
