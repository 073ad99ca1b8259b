package dev.quire.proxy.disk;

import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.log.RecordedLog;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A fault is logged when it begins, and not again until it is over. */
class DiskFaultsTest {
    private static final Duration PAUSE = Duration.ofSeconds(30);

    @TempDir private Path temporary;

    private final RecordedLog log = new RecordedLog();
    private TierHouse house;
    private DiskFaults faults;

    @BeforeEach
    void open() throws IOException {
        house = new TierHouse(temporary.resolve("tier"));
        faults = new DiskFaults(house.tier, house.path, log);
    }

    @AfterEach
    void close() {
        house.close();
    }

    private void look() {
        faults.look(false);
    }

    @Test
    void nothingIsLoggedOfADiskThatWorks() {
        house.put(1);
        assertThat(house.has(1)).isTrue();

        look();

        assertThat(log.lines()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"no space left on device", "read-only file system", "input/output error"})
    void pauseIsLoggedWithItsReasonAndItsEnd(String failure) {
        house.access.writeFailure = failure;
        house.put(1);

        look();
        look();

        assertThat(log.lines())
                .singleElement()
                .asString()
                .startsWith("WARN disk-paused message=\"disk: nothing is written to " + house.path)
                .contains(": " + failure + " (expected a writable disk with free space)");
        house.access.writeFailure = null;
        house.wall = house.wall.plus(PAUSE);
        assertThat(house.put(2)).isTrue();
        look();
        look();
        assertThat(log.lines()).hasSize(2);
        assertThat(log.lines().getLast()).startsWith("INFO disk-resumed ");
    }

    @Test
    void pauseThatBeginsAgainBetweenTwoLooksIsOnePause() {
        house.access.writeFailure = "input/output error";
        house.put(1);
        look();
        house.wall = house.wall.plus(PAUSE);
        house.put(2);

        look();

        assertThat(log.lines()).hasSize(1);
    }

    @Test
    void damagedRecordsAreCountedWhenTheirFaultBegins() {
        for (int i = 1; i <= 3; i++) {
            house.put(i);
        }
        house.access.readFailure = "input/output error";
        assertThat(house.has(1)).isFalse();
        assertThat(house.has(2)).isFalse();

        look();

        assertThat(log.lines())
                .singleElement()
                .asString()
                .startsWith("WARN disk-damaged records=2 file=000001.seg message=");
        assertThat(house.has(3)).isFalse();
        look();
        assertThat(log.lines()).hasSize(1);
        look();
        house.access.readFailure = null;
        assertThat(house.put(4)).isTrue();
        house.access.readFailure = "input/output error";
        assertThat(house.has(4)).isFalse();
        look();
        assertThat(log.lines()).hasSize(2);
        assertThat(log.lines().getLast()).startsWith("WARN disk-damaged records=1 ");
    }

    @Test
    void filesThatTheStartDeletesAreLoggedOnce() throws IOException {
        house.put(1);
        house.tier.seal();
        house.put(2);
        house.tier.close();
        try (var file = FileChannel.open(house.path.resolve("000001.seg"), WRITE)) {
            file.truncate(SegmentHeader.BYTES);
        }
        house.open();
        faults = new DiskFaults(house.tier, house.path, log);

        look();
        look();

        assertThat(log.lines())
                .singleElement()
                .asString()
                .startsWith(
                        "WARN disk-files-lost files=1 message=\"disk: the start deleted 1 files");
        assertThat(house.has(1)).isFalse();
        assertThat(house.has(2)).isTrue();
    }

    @Test
    void stalledReadsAreLogged() {
        faults.look(true);
        faults.look(true);

        assertThat(log.lines()).singleElement().asString().startsWith("WARN disk-stalled ");
        look();
        faults.look(true);
        assertThat(log.lines()).hasSize(2);
    }
}
